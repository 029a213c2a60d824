package io.lampone.coprocessor.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.coprocessor.core.fastpath.FencedAttempts.By;
import io.lampone.protocol.OperationId;
import org.junit.jupiter.api.Test;

/** What the regions of a server share, and what outlives them. */
class ServerContextTest {

  @Test
  void aRegionThatIsOpenedAgainRemembersWhichAttemptsItMustNotExecute() throws Exception {
    try (StoppedServer server = new StoppedServer()) {
      server.context().fencedAttempts("region").add("alice", new OperationId(1, 1), By.LOOKUP);

      assertThat(server.context().fencedAttempts("region").size()).isOne();
      assertThat(server.context().fencedAttempts("another").size()).isZero();
    }
  }
}
