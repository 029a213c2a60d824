package io.lampone.faultlab.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.checker.History;
import io.lampone.checker.HistoryTransaction;
import io.lampone.checker.HistoryTransaction.Freshness;
import io.lampone.checker.Outcome;
import io.lampone.checker.format.HistoryReader;
import io.lampone.checker.format.HistoryWriter;
import io.lampone.client.LamponeException;
import io.lampone.client.LamponeException.Code;
import io.lampone.faultlab.work.client.ClientMain;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests of the recorded outcome of a failure, and of failures that are violations. */
class RecorderTest {

  private final StringWriter lines = new StringWriter();
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
  void theFreshnessOfATransactionIsThatOfThisOneOnly() throws IOException {
    recorder.begin();
    recorder.freshness(Freshness.LATEST);
    recorder.invoke(List.of());
    recorder.ok(List.of(), "", 0, 0, false);
    recorder.begin();
    recorder.invoke(List.of());
    recorder.ok(List.of(), "", 9, 0, false);
    assertThat(read().transactions())
        .extracting(HistoryTransaction::freshness)
        .containsExactly(Freshness.LATEST, Freshness.STRICT);
  }

  private History failed(Exception thrown) throws IOException {
    recorder.begin();
    recorder.invoke(List.of());
    recorder.failed(thrown);
    recorder.begin();
    recorder.invoke(List.of());
    recorder.commitThrew(thrown, "");
    return read();
  }

  private History threw(Exception thrown) throws IOException {
    recorder.begin();
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
    return new Recorder(
        WorkloadKind.BANK,
        writer,
        new Stamps(1),
        new ClientTally(List.of(WorkloadKind.BANK)),
        SystemClock.INSTANCE);
  }

  private History read() throws IOException {
    return HistoryReader.read(new StringReader(lines.toString()));
  }
}
