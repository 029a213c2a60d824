package io.lampone.tm.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.tm.core.RecordStore.Reading;
import io.lampone.tm.core.RecordStore.Swap;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What every record store must do. */
public abstract class RecordStoreContract {

  /** An empty store; the same one within a test. */
  protected abstract RecordStore store();

  @Test
  void nothingIsThereAtFirst() throws Exception {
    assertThat(await(store().read())).isEqualTo(new Reading.Absent());
    assertThat(await(store().compareAndSet(0, record(1)))).isEqualTo(new Swap.Lost());
    assertThat(await(store().read())).isEqualTo(new Reading.Absent());
  }

  @Test
  void whatWasWrittenIsRead() throws Exception {
    long version = applied(await(store().create(record(1))));
    assertThat(await(store().read())).isEqualTo(new Reading.Present(version, record(1)));
    long next = applied(await(store().compareAndSet(version, record(2))));
    assertThat(next).isNotEqualTo(version);
    assertThat(await(store().read())).isEqualTo(new Reading.Present(next, record(2)));
  }

  @Test
  void onlyTheFirstCreationIsApplied() throws Exception {
    applied(await(store().create(record(1))));
    assertThat(await(store().create(record(2)))).isEqualTo(new Swap.Lost());
    assertThat(read().record()).isEqualTo(record(1));
  }

  @Test
  void aWriteOnAnOldVersionIsLost() throws Exception {
    long old = applied(await(store().create(record(1))));
    applied(await(store().compareAndSet(old, record(2))));
    assertThat(await(store().compareAndSet(old, record(3)))).isEqualTo(new Swap.Lost());
    assertThat(read().record()).isEqualTo(record(2));
  }

  @Test
  void ofManyWritesOnOneVersionOneIsApplied() throws Exception {
    long version = applied(await(store().create(record(0))));
    List<CompletableFuture<Swap>> swaps = new ArrayList<>();
    for (int i = 1; i <= 20; i++) {
      swaps.add(store().compareAndSet(version, record(i)));
    }
    int winner = 0;
    for (int i = 1; i <= 20; i++) {
      if (await(swaps.get(i - 1)) instanceof Swap.Applied) {
        assertThat(winner).isZero();
        winner = i;
      }
    }
    assertThat(read().record()).isEqualTo(record(winner));
  }

  protected static <T> T await(CompletableFuture<T> future) throws Exception {
    return future.get(60, TimeUnit.SECONDS);
  }

  protected static ManagerRecord record(long epoch) {
    return new ManagerRecord(
        epoch,
        "holder",
        "host:1",
        3,
        2000,
        false,
        1L << 60,
        1L << 59,
        0,
        Optional.empty(),
        Optional.empty());
  }

  private Reading.Present read() throws Exception {
    return (Reading.Present) await(store().read());
  }

  private static long applied(Swap swap) {
    return ((Swap.Applied) swap).version();
  }
}
