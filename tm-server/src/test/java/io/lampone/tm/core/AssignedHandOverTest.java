package io.lampone.tm.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.protocol.tm.BucketMap;
import io.lampone.protocol.tm.StatusSource.Status;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.WireReply;
import io.lampone.protocol.wire.WireRequest;
import io.lampone.tm.core.transfer.TransferResult;
import io.lampone.tm.core.validation.ValidatorCore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Z17: what is assigned is handed over as such, or not at all. */
final class AssignedHandOverTest {

  private final ManualClock clock = new ManualClock();
  private final SimulatedStore store = new SimulatedStore();
  private final Node giver = new Node("a");
  private final Node heir = new Node("b");
  private Optional<SimulatedLink> link = Optional.empty();

  private final class Node implements NodeListener {

    private final ManagerNode node;
    private long epoch;
    private boolean sealed;

    Node(String name) {
      node =
          new ManagerNode(
              new ManagerSettings(
                  name,
                  name + ":1",
                  Duration.ofSeconds(2),
                  Duration.ofMillis(500),
                  Duration.ofSeconds(5),
                  1000,
                  1000,
                  10,
                  Retention.DEFAULT,
                  Proofs.OPEN),
              store,
              clock,
              Runnable::run,
              this);
    }

    @Override
    public void becamePrimary(long led) {
      epoch = led;
    }

    @Override
    public void sealed() {
      sealed = true;
    }

    @Override
    public void unsealed() {
      sealed = false;
    }

    @Override
    public void handedOver(String address) {
      assertThat(address).isEqualTo("b:1");
    }

    @Override
    public void retired(Retirement retirement) {
      assertThat(retirement).isEqualTo(Retirement.HANDED_OVER);
    }

    void tick() {
      node.tick();
      store.settle();
    }

    long begin() {
      return ((WireReply.Begun) ask(new WireRequest.Begin(1))).begin().startTimestamp();
    }

    Validation validate(long start, boolean first, boolean conditional) {
      long[] hashes = {7};
      Validator.Request request =
          new Validator.Request(
              start, Proofs.OPEN.grant(start, 0), first, hashes, hashes, conditional);
      return ((WireReply.Validated) ask(new WireRequest.Validate(1, request))).validation();
    }

    Status status(long start) {
      return ((WireReply.StatusIs) ask(new WireRequest.Status(1, start, 0))).status();
    }

    private WireReply ask(WireRequest request) {
      return Exchange.with(node::handle, Capabilities.ASSIGNED, List.of(request)).replies().get(0);
    }
  }

  @BeforeEach
  void lead() {
    giver.tick();
    heir.tick();
    assertThat(giver.epoch).isEqualTo(1);
  }

  /** An older backup would say that the transaction has met a conflict. */
  @Test
  void assignedTransactionsAreHandedToABackupThatKnowsThemOnly() {
    long start = giver.begin();
    Validation assigned = giver.validate(start, true, true);
    assertThat(assigned).isInstanceOf(Validation.Assigned.class);
    assertThatThrownBy(handOver(0)::join)
        .hasMessageContaining("does not know serializable transactions")
        .hasMessageContaining("update the backup");
    assertThat(giver.sealed).isFalse();
    assertThat(giver.validate(start, false, true)).isEqualTo(assigned);
    assertThat(heir.node.keepsReceivedState()).isFalse();

    assertThat(handOver(Capabilities.ASSIGNED).join().leading()).isTrue();
    assertThat(heir.epoch).isEqualTo(2);
    assertThat(heir.validate(start, false, true)).isEqualTo(assigned);
  }

  /** How old it is the heir does not know: as old as its own reign at least. */
  @Test
  void theHeirLetsTheClientHaveItsTime_andNoMore() {
    long start = giver.begin();
    long commit = ((Validation.Assigned) giver.validate(start, true, true)).commitTimestamp();
    assertThat(handOver(Capabilities.ASSIGNED).join().leading()).isTrue();
    assertThat(heir.status(start)).isEqualTo(new Status.Assigned(commit, Optional.empty()));
    clock.advance(ValidatorCore.ASSIGNED_GRACE.plusMillis(1));
    assertThat(heir.status(start))
        .isEqualTo(new Status.Assigned(commit, Optional.of(Proofs.OPEN.voided(start))));
  }

  /** An older one would validate for all buckets. */
  @Test
  void theMapOfBucketsIsHandedToABackupThatKnowsItOnly() {
    BucketMap.Node validator = new BucketMap.Node("v", "v:1", 7);
    BucketMap map =
        giver.node.asPrimary(
            primary -> {
              primary.buckets().add(validator, primary.core().draw(), true);
              return primary.buckets().map();
            });
    assertThatThrownBy(handOver(Capabilities.ASSIGNED)::join)
        .hasMessageContaining("does not know other validators")
        .hasMessageContaining("update it first");
    assertThat(giver.sealed).isFalse();
    assertThat(handOver(Capabilities.ASSIGNED | Capabilities.BUCKETS).join().leading()).isTrue();
    assertThat(heir.node.<BucketMap>asPrimary(primary -> primary.buckets().map())).isEqualTo(map);
  }

  /** Between versions nothing stands in the way while no transaction needs what only one knows. */
  @Test
  void withoutAssignedTransactionsAnOlderBackupTakesOver() {
    long start = giver.begin();
    Validation passed = giver.validate(start, true, false);
    assertThat(handOver(0).join().leading()).isTrue();
    assertThat(heir.epoch).isEqualTo(2);
    assertThat(heir.validate(start, false, false)).isEqualTo(passed);
  }

  private CompletableFuture<TransferResult> handOver(long capabilities) {
    CompletableFuture<TransferResult> result =
        giver.node.handOver(
            "b",
            "b:1",
            (address, listener) -> {
              SimulatedLink made = new SimulatedLink(listener, heir.node, capabilities);
              link = Optional.of(made);
              return made;
            });
    for (int i = 0; i < 3; i++) {
      exchange();
      store.settle();
    }
    return result;
  }

  /** Lets everything arrive that is under way on the connection. */
  private void exchange() {
    for (int i = 0; i < 500; i++) {
      if (link.orElseThrow().hasForHeir()) {
        link.get().deliverToHeir();
      }
      link.get().deliverToGiver();
    }
  }
}
