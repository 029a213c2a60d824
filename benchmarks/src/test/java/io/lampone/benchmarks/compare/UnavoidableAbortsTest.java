package io.lampone.benchmarks.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.benchmarks.compare.SystemClient.Ended;
import io.lampone.benchmarks.compare.SystemClient.Ending;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class UnavoidableAbortsTest {

  private UnavoidableAborts aborts = new UnavoidableAborts(false);

  @Test
  void whoeverWroteWhatAConcurrentOneCommittedHadToAbort() throws IOException {
    add(committed(10, 20), 0, 5, Access.write(1), Access.read(2));
    add(aborted(15), 1, 6, Access.write(1), Access.write(3));
    assertThat(aborts.count()).isEqualTo(1);
  }

  @Test
  void anAbortForAReaderForTheDeadOrForALaterOneWasNotNeeded() throws IOException {
    add(committed(10, 20), 0, 5, Access.write(1), Access.read(2));
    // It saw that commit.
    add(aborted(21), 6, 8, Access.write(1));
    // The other one only read its row.
    add(aborted(15), 1, 6, Access.write(2));
    // The other one has ended without a trace.
    add(aborted(30), 10, 12, Access.write(4));
    add(aborted(31), 10, 12, Access.write(4));
    // The other one began when this one had ended.
    add(aborted(40), 20, 22, Access.write(5));
    add(committed(50, 60), 23, 25, Access.write(5));
    assertThat(aborts.count()).isZero();
  }

  @Test
  void whoHadNoSnapshotOrWroteNothingDoesNotCount() throws IOException {
    add(committed(10, 20), 0, 5, Access.write(1));
    add(Ended.alone(Ending.CONFLICT), 1, 2, Access.write(1));
    add(aborted(15), 1, 2, Access.read(1));
    assertThat(aborts.count()).isZero();
  }

  @Test
  void twoConcurrentWritersThatBothCommittedAreLoud() {
    add(committed(10, 20), 0, 5, Access.write(1));
    add(committed(15, 30), 1, 6, Access.write(1));
    assertThatThrownBy(aborts::count)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("both committed");
  }

  @Test
  void anAbortForARowThatWasReadWasNeededIfSerializableOnly() throws IOException {
    for (boolean serializable : new boolean[] {false, true}) {
      aborts = new UnavoidableAborts(serializable);
      add(committed(10, 20), 0, 5, Access.write(1), Access.read(2));
      add(aborted(15), 1, 6, Access.read(1), Access.write(3));
      add(aborted(16), 1, 6, Access.read(1), Access.read(1), Access.write(4));
      assertThat(aborts.count()).isEqualTo(serializable ? 2 : 0);
    }
  }

  /** What a commit has read, what it had seen, and what wrote nothing need no abort. */
  @Test
  void otherEdgesOfSerializableTransactionsNeedNoAbort() throws IOException {
    aborts = new UnavoidableAborts(true);
    add(committed(10, 20), 0, 5, Access.write(1), Access.read(2));
    add(aborted(15), 1, 6, Access.write(2));
    add(aborted(21), 6, 8, Access.read(1), Access.write(3));
    add(aborted(15), 1, 6, Access.read(1));
    add(aborted(30), 10, 12, Access.write(4));
    add(aborted(31), 10, 12, Access.read(4), Access.write(5));
    add(aborted(40), 20, 22, Access.read(6), Access.write(7));
    add(committed(50, 60), 23, 25, Access.write(6));
    assertThat(aborts.count()).isZero();
  }

  @Test
  void aSerializableReaderOfWhatWasOverwrittenBelowItsCommitIsLoud() throws IOException {
    for (boolean serializable : new boolean[] {false, true}) {
      aborts = new UnavoidableAborts(serializable);
      add(committed(10, 20), 0, 5, Access.write(1));
      add(committed(15, 30), 1, 6, Access.read(1), Access.write(2));
      if (serializable) {
        assertThatThrownBy(aborts::count)
            .isInstanceOf(IOException.class)
            .hasMessageContaining("overwritten below its commit");
      } else {
        assertThat(aborts.count()).isZero();
      }
    }
  }

  /** Its read and the other's write are in an order: it commits first. */
  @Test
  void aSerializableReaderThatCommitsFirstIsSound() throws IOException {
    aborts = new UnavoidableAborts(true);
    add(committed(10, 30), 0, 5, Access.write(1));
    add(committed(15, 20), 1, 6, Access.read(1), Access.write(2));
    assertThat(aborts.count()).isZero();
  }

  private void add(Ended ended, long begunNanos, long endedNanos, Access... accesses) {
    aborts.add(List.of(accesses), ended, begunNanos, endedNanos);
  }

  private static Ended committed(long start, long commit) {
    return new Ended(Ending.COMMITTED, start, commit);
  }

  private static Ended aborted(long start) {
    return new Ended(Ending.CONFLICT, start, 0);
  }
}
