package io.lampone.tm.core;

final class MemoryRecordStoreTest extends RecordStoreContract {

  private final MemoryRecordStore store = new MemoryRecordStore();

  @Override
  protected RecordStore store() {
    return store;
  }
}
