"""Every error the product raises on purpose, as one tree.

    WindowpaneError
    ├── InvalidInput            the caller can fix it
    │   ├── BadChoice
    │   ├── BadSetting
    │   ├── MessageEmpty
    │   ├── MessageTooLarge
    │   ├── NoModel
    │   ├── PromptTooLarge      what must be sent does not fit the model's window
    │   ├── NotFound
    │   ├── CommandUnavailable
    │   ├── TooLateToUndo
    │   └── UnknownModel
    ├── SendRefused             the chat is not in a state for this now
    │   ├── BudgetExceeded
    │   ├── ChatBusy
    │   ├── HeadMoved
    │   ├── NothingRunning
    │   ├── NotWaiting
    │   └── ToolsWaiting
    ├── StorageError
    │   ├── StoreUnreachable
    │   ├── StoreTooNew
    │   ├── DiskFull
    │   ├── VersionConflict
    │   └── RecordDamaged
    ├── VaultError
    │   ├── KeyUnreadable
    │   ├── KeyFileExists
    │   ├── VaultLocked
    │   ├── WrongPassphrase
    │   └── WrongKey
    ├── ServerError             the server cannot start as asked
    │   ├── PortTaken
    │   └── PasswordMissing
    ├── PartMissing             an optional part is not installed
    └── ProviderFailed          a model's service said no; carries a Failure

Each has a ``code`` for programs and a sentence for people: what is wrong, and what to do.
Foreign exceptions are translated in the edge file where they occur, never here.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from msgspec import Struct

FailureKind = Literal[
    "auth",
    "quota",
    "overflow",
    "overloaded",
    "server",
    "invalid",
    "model",
    "net",
    "refused",
    "aborted",
    "unknown",
]


class Failure(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Why an attempt failed, as a value that is stored with the turn and shown.

    ``code`` is set where Windowpane itself gave up, as in ``context_overflow_after_trimming``.
    """

    kind: FailureKind
    message: str
    http_status: int | None = None
    retry_after_seconds: float | None = None
    code: str = ""


class WindowpaneError(Exception):
    code: ClassVar[str] = "error"


class InvalidInput(WindowpaneError):
    code = "invalid_input"


class BadChoice(InvalidInput):
    """``key`` names the choice of a project, a topic, a chat or a send that does not fit."""

    code = "bad_choice"

    def __init__(self, key: str, message: str) -> None:
        self.key = key
        super().__init__(message)


class BadSetting(InvalidInput):
    code = "bad_setting"


class MessageEmpty(InvalidInput):
    code = "message_empty"

    def __init__(self) -> None:
        super().__init__("The message is empty. Write something, then send.")


class MessageTooLarge(InvalidInput):
    code = "message_too_large"

    def __init__(self, *, message_bytes: int, limit_bytes: int) -> None:
        super().__init__(
            f"The message has {message_bytes:,} bytes; at most {limit_bytes:,} go in one message. "
            "Shorten it or split it."
        )


class PromptTooLarge(InvalidInput):
    """The plan cannot be sent; its own code says whether the message or what is fixed is why."""

    code = "user_prompt_too_large"


class NotFound(InvalidInput):
    code = "not_found"

    def __init__(self, what: str, *, id: str) -> None:
        super().__init__(f"There is no {what} {id}. It may have been deleted.")


class CommandUnavailable(InvalidInput):
    code = "command_unavailable"

    def __init__(self, name: str, *, instead: str) -> None:
        super().__init__(f":{name} cannot be carried out here. {instead}")


class TooLateToUndo(InvalidInput):
    code = "too_late_to_undo"

    def __init__(self) -> None:
        super().__init__("This deletion is final: the time in which it could be undone is over.")


class NoModel(InvalidInput):
    code = "no_model"

    def __init__(self) -> None:
        super().__init__(
            "There is no model to answer with. Add a provider with windowpane providers."
        )


class UnknownModel(InvalidInput):
    code = "unknown_model"

    def __init__(self, name: str, *, known: list[str]) -> None:
        listed = ", ".join(known[:8]) or "none"
        super().__init__(f"There is no model called {name}. Known models: {listed}.")


class SendRefused(WindowpaneError):
    code = "send_refused"


class BudgetExceeded(SendRefused):
    """The next call could cost more than is left of a hard budget."""

    code = "budget_exceeded"


class ChatBusy(SendRefused):
    code = "chat_busy"

    def __init__(self) -> None:
        super().__init__("This chat is still answering. Wait for the answer or stop it first.")


class HeadMoved(SendRefused):
    code = "head_moved"

    def __init__(self) -> None:
        super().__init__(
            "This chat went on elsewhere since this page was loaded. "
            "Reload to see the new turns, then send again; your text is kept."
        )


class NothingRunning(SendRefused):
    code = "nothing_running"

    def __init__(self) -> None:
        super().__init__("There is nothing to stop: this chat is not answering.")


class NotWaiting(SendRefused):
    """Somebody else decided first, or the turn went on without a decision."""

    code = "not_waiting"

    def __init__(self, sentence: str) -> None:
        super().__init__(f"{sentence} Reload to see how it stands.")


class ToolsWaiting(SendRefused):
    code = "tools_waiting"

    def __init__(self) -> None:
        super().__init__(
            "This chat waits for you to accept or reject tool calls. Decide, or stop it, first."
        )


class StorageError(WindowpaneError):
    code = "storage"


class StoreUnreachable(StorageError):
    code = "store_unreachable"


class StoreTooNew(StorageError):
    code = "store_too_new"

    def __init__(self, *, found: int, known: int) -> None:
        super().__init__(
            f"This database has schema {found}; this version of Windowpane knows up to {known}. "
            "Start the newer version that wrote it."
        )


class DiskFull(StorageError):
    code = "disk_full"

    def __init__(self, *, path: str, free_bytes: int) -> None:
        super().__init__(
            f"The disk that holds {path} is full ({free_bytes:,} bytes free). Nothing of this "
            "change was stored. Make room, then try again."
        )


class VersionConflict(StorageError):
    """Somebody else wrote the row first; nothing of the batch was written."""

    code = "version_conflict"

    def __init__(self, *, table: str, id: str) -> None:
        self.table = table
        self.id = id
        super().__init__(f"{table}/{id} was changed by somebody else at the same time. Try again.")


class RecordDamaged(StorageError):
    """A stored record cannot be opened; it is named, and everything else works."""

    code = "record_damaged"

    def __init__(self, *, table: str, id: str, why: str) -> None:
        self.table = table
        self.id = id
        super().__init__(f"The record {table}/{id} cannot be opened: {why}.")


class VaultError(WindowpaneError):
    code = "vault"


class KeyUnreadable(VaultError):
    code = "key_unreadable"


class KeyFileExists(VaultError):
    code = "key_file_exists"

    def __init__(self, *, path: str) -> None:
        super().__init__(
            f"There is a key file at {path} already, and it was left as it is: whatever it sealed "
            "could not be read without it. Choose another path."
        )


class VaultLocked(VaultError):
    code = "vault_locked"


class WrongPassphrase(VaultError):
    code = "wrong_passphrase"

    def __init__(self) -> None:
        super().__init__("The passphrase does not open this vault's key. Nothing was changed.")


class WrongKey(VaultError):
    code = "wrong_key"

    def __init__(self, *, database_key_id: str, file_key_id: str) -> None:
        super().__init__(
            f"This database was sealed with key {database_key_id}, but the key file holds key "
            f"{file_key_id}. Point to the right key file (setting key_file) or another database."
        )


class ServerError(WindowpaneError):
    code = "server"


class PortTaken(ServerError):
    code = "port_taken"

    def __init__(self, *, host: str, port: int) -> None:
        super().__init__(
            f"Port {port} on {host} is in use, perhaps by another Windowpane. "
            "Choose another with --port, or --port 0 for any free one."
        )


class PasswordMissing(ServerError):
    code = "password_missing"

    def __init__(self, *, host: str) -> None:
        super().__init__(
            f"Listening on {host} lets other machines in, so a password is required. "
            "Set WINDOWPANE_PASSWORD, or listen on 127.0.0.1."
        )


class PartMissing(WindowpaneError):
    code = "part_missing"


class ProviderFailed(WindowpaneError):
    """A provider refused or broke off; adapters raise it, the loop turns it into a turn's end."""

    code = "provider_failed"

    def __init__(self, failure: Failure) -> None:
        self.failure = failure
        super().__init__(failure.message)
