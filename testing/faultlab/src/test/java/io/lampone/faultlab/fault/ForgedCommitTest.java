package io.lampone.faultlab.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.hbase.RefusalException;
import io.lampone.protocol.request.Refusal;
import java.io.IOException;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.junit.jupiter.api.Test;

/** Tests of what counts as the answer to a forged commit. */
class ForgedCommitTest {

  @Test
  void aRefusalOfRegionServerOrMasterIsAnAnswerAndNoOtherFailureIs() {
    Refusal refusal = Refusal.of(Refusal.Code.PLAIN_CLIENT, "reserved");
    assertThat(ForgedCommit.isRefusal(new RefusalException(refusal))).isTrue();
    String master = "the table is not transactional in both of its descriptions: table=t";
    assertThat(ForgedCommit.isRefusal(new IOException(new DoNotRetryIOException(master)))).isTrue();
    assertThat(ForgedCommit.isRefusal(new DoNotRetryIOException("no such table"))).isFalse();
    assertThat(ForgedCommit.isRefusal(new IOException("no answer"))).isFalse();
  }
}
