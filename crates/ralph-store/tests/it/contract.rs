//! Both stores keep the contract.

use std::cell::Cell;

use ralph_store::contract::StoreOpener;
use ralph_store::{MemoryStore, RunStore, SqliteStore};

fn with_memory(rule: fn(StoreOpener<'_>)) {
    rule(&|| Box::new(MemoryStore::new()));
}

#[expect(clippy::unwrap_used, reason = "part of a test")]
fn with_sqlite(rule: fn(StoreOpener<'_>)) {
    let folder = tempfile::tempdir().unwrap();
    let opened = Cell::new(0);
    let open = || -> Box<dyn RunStore> {
        opened.set(opened.get() + 1);
        let home = folder.path().join(opened.get().to_string());
        Box::new(SqliteStore::open(&home).unwrap().store)
    };
    rule(&open);
}

mod memory {
    ralph_store::run_store_contract!(super::with_memory);
}

mod sqlite {
    ralph_store::run_store_contract!(super::with_sqlite);
}
