package io.lampone.tm.core;

import io.lampone.protocol.tm.ManagerRecord;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** A record store whose operations happen when a test says so, and end as it says. */
final class SimulatedStore implements RecordStore {

  private MemoryRecordStore memory = new MemoryRecordStore();
  private final List<Operation<?>> underWay = new ArrayList<>();
  private int reads;
  private Optional<Error> error = Optional.empty();
  private boolean ofOtherFormat;

  /** An operation that has been sent. */
  static final class Operation<T> {

    private final Supplier<T> effect;
    private final CompletableFuture<T> reply = new CompletableFuture<>();

    private Operation(Supplier<T> effect) {
      this.effect = effect;
    }

    /** Happens, and the reply arrives. */
    void succeed() {
      reply.complete(effect.get());
    }

    /** Happens, and the reply is lost. */
    void loseReply() {
      effect.get();
      failOnly();
    }

    /** Is reported as failed; may be made to happen later. */
    void failOnly() {
      reply.completeExceptionally(new IOException("connection lost"));
    }

    /** Happens after it was reported as failed. */
    void happenLate() {
      effect.get();
    }
  }

  /** The operations that nothing has become of yet; the test takes them out. */
  List<Operation<?>> underWay() {
    return underWay;
  }

  /** Lets everything succeed that is under way. */
  void settle() {
    while (!underWay.isEmpty()) {
      underWay.remove(0).succeed();
    }
  }

  /** Somebody deletes the record. */
  void forget() {
    memory = new MemoryRecordStore();
  }

  /** A foreign hand changes the record. */
  void overwrite(UnaryOperator<ManagerRecord> change) {
    Reading.Present present = (Reading.Present) memory.read().join();
    memory.compareAndSet(present.version(), change.apply(present.record())).join();
  }

  /** A foreign hand writes what is no record. */
  void garble() {
    memory.garble();
  }

  /** A later version has written the record. */
  void upgrade() {
    ofOtherFormat = true;
  }

  /** The record is put back as it was, if it was garbled. */
  void repair() {
    memory.repair();
  }

  ManagerRecord record() {
    return memory.record();
  }

  /** How often the record was asked for. */
  int reads() {
    return reads;
  }

  @Override
  public CompletableFuture<Reading> read() {
    reads++;
    return send(() -> ofOtherFormat ? new Reading.OtherFormat() : memory.read().join());
  }

  @Override
  public CompletableFuture<Swap> create(ManagerRecord record) {
    return send(() -> memory.create(record).join());
  }

  @Override
  public CompletableFuture<Swap> compareAndSet(long expectedVersion, ManagerRecord record) {
    return send(() -> memory.compareAndSet(expectedVersion, record).join());
  }

  /** From now on whoever asks is thrown this. */
  void failWith(Error thrown) {
    error = Optional.of(thrown);
  }

  private <T> CompletableFuture<T> send(Supplier<T> effect) {
    if (error.isPresent()) {
      throw error.get();
    }
    Operation<T> operation = new Operation<>(effect);
    underWay.add(operation);
    return operation.reply;
  }
}
