package io.lampone.client.hbase;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.ConflictException;
import io.lampone.client.LamponeException;
import io.lampone.client.LamponeException.Code;
import io.lampone.client.RetryAdvice;
import io.lampone.client.SnapshotTooOldException;
import io.lampone.client.core.CommitOutcome;
import io.lampone.client.core.failure.StoreRefusedException;
import io.lampone.client.core.failure.StoreUnavailableException;
import io.lampone.client.core.failure.TransactionTimeoutException;
import io.lampone.client.hbase.transport.StoreFailures;
import io.lampone.hbase.RefusalException;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.tm.TransactionManagerException;
import io.lampone.protocol.tm.TransactionManagerException.Kind;
import java.io.IOException;
import java.util.concurrent.CompletionException;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.NoServerForRegionException;
import org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FailureTranslatorTest {

  @ParameterizedTest
  @EnumSource(Refusal.Code.class)
  void everyRefusalGivesTheAdviceThatItsCodeHasOrAStricterOne(Refusal.Code code) {
    Refusal refusal = new Refusal(code, "why", 300, Bytes.utf8("r"));

    LamponeException seen = FailureTranslator.ofRefusal("t", refusal, 7, null);

    assertThat(seen.startTimestamp()).isEqualTo(7);
    assertThat(seen.getMessage()).startsWith(seen.code().id());
    RetryAdvice expected =
        switch (code.advice()) {
          case NEVER -> RetryAdvice.NEVER;
          // Stricter: it takes longer than what run would repeat.
          case NEW_TRANSACTION ->
              code == Refusal.Code.TABLE_CHANGING ? RetryAdvice.NEVER : RetryAdvice.NEW_TRANSACTION;
          // Its client has sent it again until its time was over.
          case SAME_REQUEST, LOCATE_AGAIN -> RetryAdvice.NEW_TRANSACTION;
        };
    assertThat(seen.retryAdvice()).isEqualTo(expected);
    assertThat(seen instanceof ConflictException)
        .as("LP-101 names the place")
        .isEqualTo(seen.code() == Code.CONFLICT);
  }

  @Test
  void aRefusalIsFoundUnderWhateverHBaseWrapsAroundIt() {
    Throwable wrapped =
        new CompletionException(
            new IOException(
                "retries exhausted",
                new RefusalException(Refusal.conflict(Bytes.utf8("r"), 300, "newer"))));

    RuntimeException failure = StoreFailures.toStoreFailure("t", "s", wrapped);

    assertThat(failure)
        .isInstanceOfSatisfying(
            StoreRefusedException.class,
            e -> assertThat(e.refusal().winnerCommitTimestamp()).isEqualTo(300));
    assertThat(FailureTranslator.translate(failure, 7))
        .isInstanceOfSatisfying(
            ConflictException.class, e -> assertThat(e.row()).isEqualTo(new byte[] {'r'}));
  }

  @Test
  void aMissingCoprocessorIsNamedAndNeverRetried() {
    RuntimeException failure =
        StoreFailures.toStoreFailure(
            "t",
            "server1",
            new NoSuchColumnFamilyException("Column family lampone-proof does not exist"));

    IOException seen = FailureTranslator.translate(failure, 7);

    assertThat(((LamponeException) seen).code()).isEqualTo(Code.INCOMPATIBLE);
    assertThat(seen.getMessage()).contains("server1").contains("coprocessor").contains("table=t");
    assertThat(StoreFailures.mayRepeat(failure)).isFalse();
  }

  @Test
  void whatHBaseSaysOfTablesAndFamiliesIsTheUsersMistake() {
    assertThat(code(new TableNotFoundException("t"))).isEqualTo(Code.TABLE_NOT_TRANSACTIONAL);
    assertThat(code(new NoSuchColumnFamilyException("x"))).isEqualTo(Code.BAD_REQUEST);
    assertThat(code(StoreFailures.toStoreFailure("t", "s", new AccessDeniedException("no W"))))
        .isEqualTo(Code.BAD_REQUEST);
    assertThat(code(new IOException("connection reset"))).isEqualTo(Code.STORE_UNAVAILABLE);
    // HBase forbids its client to repeat this, but the region may be on its way.
    assertThat(code(new NoServerForRegionException("no server listed")))
        .isEqualTo(Code.STORE_UNAVAILABLE);
    assertThat(code(new StoreUnavailableException("silence", new TableNotFoundException("t"))))
        .isEqualTo(Code.TABLE_NOT_TRANSACTIONAL);
  }

  @Test
  void failuresOfTheManagerAndOfTimeAreToldApart() {
    assertThat(code(new TransactionManagerException(Kind.UNAVAILABLE, "nobody")))
        .isEqualTo(Code.MANAGER_UNAVAILABLE);
    assertThat(code(new TransactionManagerException(Kind.INCOMPATIBLE, "old")))
        .isEqualTo(Code.INCOMPATIBLE);
    assertThat(code(new TransactionManagerException(Kind.TOO_LARGE, "limit=4096")))
        .isEqualTo(Code.TOO_LARGE);
    assertThat(code(new TransactionTimeoutException(7))).isEqualTo(Code.TIMEOUT);
  }

  @Test
  void anAbortIsToldByItsCause() {
    Refusal tooOld = Refusal.of(Refusal.Code.BELOW_SAFE_POINT, "old");

    assertThat(FailureTranslator.ofOutcome(new CommitOutcome.Refused("t", tooOld), 7))
        .isInstanceOf(SnapshotTooOldException.class);
    assertThat(
            ((LamponeException)
                    FailureTranslator.ofOutcome(
                        new CommitOutcome.Aborted(
                            "x", new StoreUnavailableException("y", new IOException("z"))),
                        7))
                .code())
        .isEqualTo(Code.STORE_UNAVAILABLE);
    assertThat(
            ((LamponeException)
                    FailureTranslator.ofOutcome(new CommitOutcome.Aborted("a reader", null), 7))
                .code())
        .isEqualTo(Code.ABORTED);
  }

  private static Code code(Throwable failure) {
    return ((LamponeException) FailureTranslator.translate(failure, 7)).code();
  }
}
