"""Short ways to write down rows and listings in tests."""

from windowpane.storage.base import Put, Row, Store, Table


def put(
    id: str,
    *,
    parent_id: str = "parent",
    position: int = 0,
    sealed: bytes = b"sealed",
    expected_version: int | None = None,
    table: Table = "records",
) -> Put:
    return Put(
        table=table,
        id=id,
        parent_id=parent_id,
        position=position,
        sealed=sealed,
        expected_version=expected_version,
    )


async def below(
    store: Store,
    *parent_ids: str,
    from_position: int | None = None,
    to_position: int | None = None,
    newest_first: bool = False,
    limit: int | None = None,
    table: Table = "records",
) -> list[Row]:
    return await store.children(
        table,
        parent_ids,
        from_position=from_position,
        to_position=to_position,
        newest_first=newest_first,
        limit=limit,
    )


async def ids_below(
    store: Store,
    *parent_ids: str,
    from_position: int | None = None,
    to_position: int | None = None,
    newest_first: bool = False,
    limit: int | None = None,
) -> list[str]:
    rows = await below(
        store,
        *parent_ids,
        from_position=from_position,
        to_position=to_position,
        newest_first=newest_first,
        limit=limit,
    )
    return [row.id for row in rows]
