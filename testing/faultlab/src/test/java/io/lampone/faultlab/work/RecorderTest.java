package io.lampone.faultlab.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.checker.History;
import io.lampone.checker.HistoryTransaction;
import io.lampone.checker.HistoryTransaction.Freshness;
import io.lampone.checker.KeyRange;
import io.lampone.checker.Operation;
import io.lampone.checker.Outcome;
import io.lampone.checker.format.HistoryReader;
import io.lampone.checker.format.HistoryWriter;
import io.lampone.client.ConflictException;
import io.lampone.client.ConflictException.Kind;
import io.lampone.client.LamponeException;
import io.lampone.client.LamponeException.Code;
import io.lampone.client.core.CommitOutcome;
import io.lampone.client.core.failure.StoreUnavailableException;
import io.lampone.client.hbase.FailureTranslator;
import io.lampone.faultlab.work.client.ClientMain;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.UnknownScannerException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the recorded outcome of a failure, and of failures that are violations. */
class RecorderTest {

  private final StringWriter lines = new StringWriter();
  private final ClientTally tally = new ClientTally(List.of(WorkloadKind.BANK));
  private final Recorder recorder = recorder();

  @ParameterizedTest
  @EnumSource(Code.class)
  void whatNoFaultExplainsIsAViolationAndFailsToo(Code code) throws IOException {
    History history = failed(new LamponeException(code, 7, "of key 3"));
    assertThat(history.transactions())
        .extracting(HistoryTransaction::outcome)
        .containsOnly(Outcome.FAILED);
    switch (code) {
      case CORRUPT, INCOMPATIBLE, BAD_REQUEST, TABLE_NOT_TRANSACTIONAL, ILLEGAL_USE, TOO_LARGE ->
          // Before the commit, and in it.
          assertThat(history.violations())
              .hasSize(2)
              .allMatch(text -> text.contains(code.id() + " of key 3"));
      default -> assertThat(history.violations()).isEmpty();
    }
  }

  @Test
  void aCorruptCellBehindAnotherFailureIsFound() throws IOException {
    IOException inside = new LamponeException(Code.CORRUPT, 7, "of key 3");
    assertThat(failed(new IOException("no result", inside)).violations())
        .isNotEmpty()
        .allMatch(text -> text.contains("LP-501 of key 3"));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anErrorOfTheClientLibraryIsAViolation(boolean isAborted) throws IOException {
    RuntimeException inside = new NullPointerException("of key 3");
    IOException thrown =
        isAborted
            ? FailureTranslator.ofOutcome(new CommitOutcome.Aborted("a vote is missing", inside), 7)
            : FailureTranslator.translate(inside, 7);
    // Before the commit, and in it.
    assertThat(failed(thrown).violations()).hasSize(2).allMatch(text -> text.contains("of key 3"));
  }

  @Test
  void aWrappedFailureOfTheStoreIsNoViolation() throws IOException {
    Exception lost = new UncheckedIOException(new UnknownScannerException("7"));
    Exception store = new StoreUnavailableException("no usable answer", lost);
    assertThat(failed(FailureTranslator.translate(store, 7)).violations()).isEmpty();
  }

  @Test
  void aCommitThatThrowsWhatNobodyPromisedIsAViolationAndUnknown() throws IOException {
    History history = threw(new IllegalStateException("no such slot"));
    assertThat(history.violations()).singleElement().asString().contains("no such slot");
    assertThat(history.transactions())
        .extracting(HistoryTransaction::outcome)
        .containsOnly(Outcome.UNKNOWN);
  }

  @Test
  void aCommitPromisesAnExceptionThatIsChecked() throws IOException {
    assertThat(threw(new UncheckedIOException(new IOException("no answer"))).violations())
        .hasSize(1);
  }

  @Test
  void aLostConnectionIsNoViolation() throws IOException {
    assertThat(failed(new IOException("no answer")).violations()).isEmpty();
  }

  @Test
  void aConflictOfASnapshotReaderIsAViolation() throws IOException {
    IOException conflict = new LamponeException(Code.CONFLICT, 7, "of key 3");
    recorder.begin(StepKind.TRANSACTION);
    recorder.readsSnapshot();
    recorder.invoke(List.of());
    recorder.failed(conflict);
    recorder.begin(StepKind.TRANSACTION);
    recorder.readsSnapshot();
    recorder.invoke(List.of());
    recorder.commitThrew(conflict, "");
    assertThat(read().violations()).hasSize(2).allMatch(text -> text.contains("of key 3"));
    // Not of the next one, which writes.
    recorder.begin(StepKind.TRANSACTION);
    recorder.invoke(List.of());
    recorder.failed(conflict);
    assertThat(read().violations()).hasSize(2);
  }

  @Test
  void aConflictWithACommitOfTheSnapshotIsAViolation() throws IOException {
    assertThat(failed(conflict(512, 513, Kind.WRITE_WRITE)).violations()).isEmpty();
    assertThat(lines.toString()).contains("\"row\":\"r\",\"winner_ts\":513");
    assertThat(failed(conflict(512, 0, Kind.READ_WRITE)).violations()).as("unknown").isEmpty();
    assertThat(failed(conflict(512, 256, Kind.LATE)).violations()).isEmpty();
    assertThat(failed(conflict(512, 512, Kind.READ_WRITE)).violations())
        .hasSize(2)
        .allMatch(text -> text.contains("winnerCommitTimestamp=512"));
  }

  private static ConflictException conflict(long start, long winner, Kind kind) {
    RowFamily place = new RowFamily("t", Bytes.utf8("r"), Bytes.utf8("f"));
    return new ConflictException(start, place, winner, kind);
  }

  @Test
  void theFreshnessOfATransactionIsThatOfThisOneOnly() throws IOException {
    recorder.begin(StepKind.TRANSACTION);
    recorder.freshness(Freshness.LATEST);
    recorder.invoke(List.of());
    recorder.ok(List.of(), "", 0, 0);
    recorder.begin(StepKind.TRANSACTION);
    recorder.invoke(List.of());
    recorder.ok(List.of(), "", 9, 0);
    assertThat(read().transactions())
        .extracting(HistoryTransaction::freshness)
        .containsExactly(Freshness.LATEST, Freshness.STRICT);
  }

  @Test
  void whatAnUnknownTransactionHasReadIsRecorded() throws IOException {
    List<Operation> done =
        List.of(new Operation.Read("1", List.of(5L)), new Operation.Append("1", 6));
    List<KeyRange> scans = List.of(new KeyRange("1", "3"));
    recorder.begin(StepKind.TRANSACTION);
    recorder.serializable();
    recorder.invoke(done, scans);
    recorder.commitThrew(new IOException("no answer"), "7");
    new HistoryWriter(
            lines,
            ClientMain.header(WorkloadKind.BANK, List.of(TableName.valueOf("t")), 1),
            "lampone",
            () -> 1)
        .resolved("7", true, 30, 40);
    String text = lines.toString();
    int header = text.lastIndexOf("{\"txnhist\"");
    String history = text.substring(0, header) + text.substring(text.indexOf('\n', header) + 1);
    HistoryTransaction found = HistoryReader.read(new StringReader(history)).transactions().get(0);
    assertThat(found.operations()).isEqualTo(done);
    assertThat(found.scans()).isEqualTo(scans);
    assertThat(found.serializable()).isTrue();
  }

  @Test
  void whatAFailedTransactionHasReadIsRecorded() throws IOException {
    List<Operation> done =
        List.of(new Operation.Read("1", List.of(5L)), new Operation.Append("1", 6));
    for (boolean commits : List.of(true, false)) {
      recorder.begin(StepKind.TRANSACTION);
      recorder.readsAt(7);
      recorder.invoke(done, List.of(new KeyRange("1", "3")));
      IOException conflict = new LamponeException(Code.ABORTED, 7, "of key 3");
      if (commits) {
        recorder.commitThrew(conflict, "");
      } else {
        recorder.failed(conflict);
      }
    }
    assertThat(read().transactions())
        .hasSize(2)
        .allMatch(each -> each.outcome() == Outcome.FAILED && each.startTimestamp() == 7)
        .allMatch(each -> each.operations().equals(done) && each.scans().size() == 1);
  }

  @Test
  void aStepThatIsOftenTriedAndNeverDoneIsTold() {
    for (int i = 0; i < 50; i++) {
      recorder.begin(StepKind.FAST_READ_LATEST);
      recorder.failed("BUSY");
      assertThat(StepKind.neverDone(tally.steps())).hasSize(i < 49 ? 0 : 1);
    }
    recorder.begin(StepKind.TRANSACTION);
    recorder.ok(List.of(), "", 9, 0);
    assertThat(StepKind.neverDone(tally.steps())).containsExactly("fast-read-latest");
    recorder.begin(StepKind.FAST_READ_LATEST);
    recorder.ok(List.of(), "", 0, 0);
    assertThat(StepKind.neverDone(tally.steps())).isEmpty();
  }

  @Test
  void serializableTransactionsWithRangesAreAKindOfTheirOwn() {
    List<KeyRange> ranges = List.of(new KeyRange("1", "3"));
    for (int i = 0; i < 50; i++) {
      recorder.begin(StepKind.TRANSACTION);
      recorder.invoke(List.of(), ranges);
      recorder.ok(List.of(), "", 9, 0);
      recorder.begin(StepKind.TRANSACTION);
      recorder.serializable();
      recorder.invoke(List.of(), ranges);
      recorder.failed("CONFLICT");
    }
    assertThat(StepKind.neverDone(tally.steps())).containsExactly("serializable-scan");
    recorder.begin(StepKind.TRANSACTION);
    recorder.serializable();
    recorder.invoke(List.of(), ranges);
    recorder.ok(List.of(), "", 9, 0);
    assertThat(StepKind.neverDone(tally.steps())).isEmpty();
  }

  private History failed(Exception thrown) throws IOException {
    recorder.begin(StepKind.TRANSACTION);
    recorder.invoke(List.of());
    recorder.failed(thrown);
    recorder.begin(StepKind.TRANSACTION);
    recorder.invoke(List.of());
    recorder.commitThrew(thrown, "");
    return read();
  }

  private History threw(Exception thrown) throws IOException {
    recorder.begin(StepKind.TRANSACTION);
    recorder.invoke(List.of());
    recorder.commitThrew(thrown, "");
    return read();
  }

  private Recorder recorder() {
    HistoryWriter writer =
        new HistoryWriter(
            lines,
            ClientMain.header(WorkloadKind.BANK, List.of(TableName.valueOf("t")), 1),
            "lampone",
            SystemClock.INSTANCE::monotonicNanos);
    return new Recorder(WorkloadKind.BANK, writer, new Stamps(1), tally, SystemClock.INSTANCE);
  }

  private History read() throws IOException {
    return HistoryReader.read(new StringReader(lines.toString()));
  }
}
