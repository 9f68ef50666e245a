"""Amazon's request signatures (version 4), with the credentials of the usual AWS environment.

Nothing here contacts anybody: credentials that have to be fetched from a service (roles, single
sign-on, instance metadata) are not looked for. botocore is imported when a request is first
signed, because that takes a third of a second.
"""

# botocore has no types.
# pyright: reportMissingTypeStubs=false, reportUnknownVariableType=false
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from windowpane.errors import Failure, ProviderFailed
from windowpane.providers.base import WireRequest

# The name that signatures are made for, also at the runtime's address.
SERVICE = "bedrock"
NO_CREDENTIALS = Failure(
    kind="auth",
    message="There is no key for Amazon Bedrock. Enter a Bedrock API key, or set "
    "AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name in "
    "AWS_PROFILE a profile of the AWS credentials file that holds an access key.",
)


# What a request can be proven with, as long as it is one of the credentials that are looked for.
VARIABLES = ("AWS_BEARER_TOKEN_BEDROCK", "AWS_ACCESS_KEY_ID", "AWS_PROFILE")


def has_credentials(*, counts_files: bool) -> bool:
    """Whether the environment names credentials, or files may hold some; nothing is read."""
    if any(os.environ.get(name) for name in VARIABLES):
        return True
    return counts_files and any(Path(file).is_file() for file in (_shared_file(), _config_file()))


def signed_headers(
    wire: WireRequest, *, extra: Mapping[str, str], region: str
) -> Mapping[str, str]:
    """The headers that sign this request, which goes out with the ``extra`` ones as well."""
    from botocore.auth import SigV4Auth
    from botocore.awsrequest import AWSRequest

    headers = {**wire.headers, **extra}
    request = AWSRequest(method=wire.method, url=wire.url, headers=headers, data=wire.body)
    SigV4Auth(_credentials(), SERVICE, region).add_auth(request)
    return {
        name.lower(): str(value) for name, value in request.headers.items() if name not in headers
    }


def _credentials() -> object:
    """Read anew for each request: other programs renew these files."""
    from botocore.credentials import (
        ConfigProvider,
        CredentialResolver,
        EnvProvider,
        SharedCredentialProvider,
    )
    from botocore.exceptions import BotoCoreError

    profile = os.environ.get("AWS_PROFILE") or "default"
    resolver = CredentialResolver(
        [
            EnvProvider(),
            SharedCredentialProvider(_shared_file(), profile),
            ConfigProvider(_config_file(), profile),
        ]
    )
    try:
        credentials = resolver.load_credentials()
        # Those that have expired say so only when they are looked at, with a ``RuntimeError``.
        frozen = credentials.get_frozen_credentials() if credentials else None
    except (BotoCoreError, RuntimeError) as error:
        failure = Failure(kind="auth", message=f"The AWS credentials cannot be used: {error}")
        raise ProviderFailed(failure) from error
    if frozen is None:
        raise ProviderFailed(NO_CREDENTIALS)
    return frozen


def _shared_file() -> str:
    return os.environ.get("AWS_SHARED_CREDENTIALS_FILE") or _in_home("credentials")


def _config_file() -> str:
    return os.environ.get("AWS_CONFIG_FILE") or _in_home("config")


def _in_home(name: str) -> str:
    return str(Path.home() / ".aws" / name)
