package io.lampone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.CommitOutcomeUnknownException;
import io.lampone.client.LamponeException;
import io.lampone.client.fastpath.FastPathId;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionId;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.hbase.NamespaceNotFoundException;
import org.apache.hadoop.hbase.TableExistsException;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.junit.jupiter.api.Test;

/** Advice names the commands of the user's interface: the command line's or the shell's. */
class FailureTest {

  private static final Throwable NO_TABLE = new TableNotFoundException("t");
  private static final Throwable TABLE_EXISTS = new TableExistsException("t");
  private static final Throwable PLAIN =
      new LamponeException(LamponeException.Code.TABLE_NOT_TRANSACTIONAL, 256, "table=t");

  @Test
  void commandsAreNamedAsOneTypesThem() {
    assertThat(Failure.of(NO_TABLE).advice())
        .contains("'lampone table list'", "'lampone table create'");
    assertThat(Failure.of(TABLE_EXISTS).advice()).contains("'lampone table enable'");
    assertThat(Failure.of(PLAIN).advice())
        .contains("'lampone table list'", "'lampone table enable'");
    for (Throwable each : List.of(NO_TABLE, TABLE_EXISTS, PLAIN)) {
      assertThat(Failure.of(each).advice()).doesNotContain("'list'", "'help ", "'enable'");
    }
  }

  @Test
  void aMissingNamespaceIsMadeFirst() {
    assertThat(Failure.of(new NamespaceNotFoundException("n")))
        .isEqualTo(
            new Failure(
                "no such namespace: n",
                "make it first, in the HBase shell: create_namespace 'NAME'"));
  }

  @Test
  void whoIsNotBelievedIsNotOnlyToldToLookForAnotherVersion() {
    Throwable distrusted =
        new LamponeException(
            LamponeException.Code.INCOMPATIBLE,
            0,
            "transaction manager refuses this client, principal=shop");
    assertThat(Failure.of(distrusted).advice())
        .contains("'lampone check'", "docs/operations/security.md", "log of the region server");
  }

  @Test
  void theOutcomeOfACommitIsAskedForWhereThePersonIs() {
    TransactionId id =
        new TransactionId(
            Timestamps.PLAIN_LIMIT + 256, new RowFamily("t", Bytes.utf8("r"), Bytes.utf8("f")));
    Throwable unknown = new CommitOutcomeUnknownException(id, "no answer");
    assertThat(Failure.of(unknown).advice())
        .isEqualTo("ask later: lampone shell -e \"status '" + id + "'\"");
    assertThat(Failure.inShell(unknown).advice()).isEqualTo("ask later: status '" + id + "'");
    FastPathId write = new FastPathId("t", Bytes.utf8("r"), new OperationId(7, 1), 9);
    Throwable unknownWrite = new CommitOutcomeUnknownException(List.of(write), "no answer", null);
    assertThat(Failure.inShell(unknownWrite).advice())
        .isEqualTo("ask later: status '" + write + "'");
  }

  @Test
  void aCauseWithoutAMessageDoesNotHideTheOneAroundIt() {
    Throwable late = new IOException("the second client is late", new TimeoutException());
    assertThat(Failure.of(late).message()).isEqualTo("IOException: the second client is late");
    assertThat(Failure.of(new IOException("outer", new IOException("inner"))).message())
        .isEqualTo("IOException: inner");
    assertThat(Failure.of(new TimeoutException()).message())
        .isEqualTo("TimeoutException: TimeoutException");
  }

  @Test
  void theShellHasItsOwnWords() {
    assertThat(Failure.inShell(NO_TABLE).advice())
        .startsWith("'list' lists")
        .endsWith("'help create' makes one");
    assertThat(Failure.inShell(TABLE_EXISTS).advice()).contains("'enable'");
    assertThat(Failure.inShell(PLAIN).advice()).contains("'list'", "'enable'");
  }
}
