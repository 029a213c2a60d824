package io.lampone.tm.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.wire.WireReply;
import io.lampone.protocol.wire.WireRequest;
import io.lampone.tm.command.Commands.Sender;
import io.lampone.tm.core.Exchange;
import io.lampone.tm.core.IdleListener;
import io.lampone.tm.core.ManagerNode;
import io.lampone.tm.core.ManagerSettings;
import io.lampone.tm.core.ManualClock;
import io.lampone.tm.core.MemoryRecordStore;
import io.lampone.tm.core.Retention;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

final class HoldCommandsTest {

  private static final Sender SHOP = new Sender("shop", true, false, true, false);
  private static final Sender UNPROVED = new Sender("reports", false, false, true, false);
  private static final Sender ADMINISTRATOR = new Sender("root", false, false, true, true);

  private static final String NIGHTLY = "owner=nightly name=report";
  private static final String NIGHTLY_OF_SHOP = "owner=shop/nightly name=report";

  private final ManagerNode node =
      new ManagerNode(
          new ManagerSettings(
              "a",
              "a:1",
              Duration.ofSeconds(2),
              Duration.ofMillis(500),
              Duration.ofSeconds(5),
              1000,
              1000,
              10,
              Retention.DEFAULT,
              Proofs.OPEN),
          new MemoryRecordStore(),
          new ManualClock(),
          Runnable::run,
          new IdleListener());
  private final Commands commands = new Commands();

  HoldCommandsTest() {
    node.tick();
    new HoldCommands(node).addTo(commands);
  }

  /** As while security is switched on: clients with and without a proof are served. */
  @Test
  void aSenderWithoutAProofNeitherSeesNorChangesAPrincipalsHold() {
    hold(SHOP, NIGHTLY);
    assertThat(run(UNPROVED, "holds", "")).contains("\"holds\":[]");
    assertThat(run(UNPROVED, "release", NIGHTLY)).contains("\"released\":false");
    for (String command : List.of("release ", "renew ttl=1 ", "hold ttl=1 timestamp=1 ")) {
      String[] parts = command.split(" ", 2);
      assertThatThrownBy(() -> run(UNPROVED, parts[0], parts[1] + NIGHTLY_OF_SHOP))
          .hasMessageContaining("needs a proof of its principal, owner=shop/nightly");
    }
    hold(UNPROVED, NIGHTLY);
    assertThat(run(UNPROVED, "holds", "")).containsOnlyOnce("\"owner\":\"nightly\"");
    assertThat(run(SHOP, "holds", "")).containsOnlyOnce("\"owner\":\"nightly\"");
    assertThat(run(ADMINISTRATOR, "holds", ""))
        .contains("\"owner\":\"nightly\"", "\"owner\":\"shop/nightly\"");
    assertThat(run(ADMINISTRATOR, "release", NIGHTLY_OF_SHOP)).contains("\"released\":true");
    assertThat(run(SHOP, "holds", "")).contains("\"holds\":[]");
  }

  private void hold(Sender sender, String hold) {
    List<WireReply> replies =
        Exchange.with(node::handle, List.of(new WireRequest.Begin(1))).replies();
    long timestamp = ((WireReply.Begun) replies.get(0)).begin().startTimestamp();
    run(sender, "hold", hold + " ttl=60000 timestamp=" + timestamp);
  }

  private String run(Sender sender, String command, String argument) {
    return commands.run(command, argument, sender).join();
  }
}
