package io.lampone.coprocessor.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.Refusal.Code;
import io.lampone.protocol.RegionRequest;
import io.lampone.protocol.RegionRequest.AbortLeader;
import io.lampone.protocol.RegionRequest.FinishLeader;
import io.lampone.protocol.RegionRequest.Flush;
import io.lampone.protocol.RegionRequest.Settle;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.trust.ClusterKey;
import io.lampone.protocol.trust.Grant;
import io.lampone.protocol.trust.KeyRing;
import io.lampone.protocol.trust.Proof;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.trust.Tag;
import io.lampone.protocol.trust.TermKeys;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class OwnerCheckTest {

  private static final long START = 0x1900000000000100L;
  private static final long OTHER_TERM = START + (1L << 46);
  private static final Bytes R = Bytes.utf8("r");
  private static final Bytes F = Bytes.utf8("f");

  private final Proofs manager = new Proofs(new ClusterKey(Bytes.wrap(key())));
  private final AtomicInteger looked = new AtomicInteger();
  private final AtomicInteger asked = new AtomicInteger();
  private final OwnerCheck owners =
      new OwnerCheck(new OneTerm(), asked::incrementAndGet, SystemClock.INSTANCE);

  @Test
  void aGrantOfItsStart_isAccepted_andItsSecretIsComputedOnce() {
    Grant grant = manager.grant(START, 2);
    owners.requireOwner(START, grant);
    owners.requireOwner(START + 2 * Timestamps.TICK, grant);
    assertThat(looked).hasValue(1);
  }

  @Test
  void whatProvesNothing_isRefused() {
    Grant grant = manager.grant(START, 2);
    owners.requireOwner(START, grant);
    refused(Code.UNPROVED, START, Proof.NONE);
    refused(Code.UNPROVED, START - Timestamps.TICK, grant);
    refused(Code.UNPROVED, START + 3 * Timestamps.TICK, grant);
    refused(Code.UNPROVED, START + 1, grant);
    refused(Code.UNPROVED, START, new Grant(START, 3, grant.secret()));
    refused(Code.UNPROVED, START, new Grant(START, 2, new Tag(grant.secret().first(), 0)));
    refused(Code.UNPROVED, START, Proofs.OPEN.grant(START, 2));
  }

  @Test
  void aGrantOfAnUnknownTerm_isToComeAgain_andTheKeysAreAskedFor() {
    refused(Code.NOT_READY, OTHER_TERM, manager.grant(OTHER_TERM, 0));
    assertThat(asked).hasValue(1);
  }

  /** Whoever may write the rows could end the transaction of another client, or write into it. */
  @Test
  void aRequestInTheNameOfATransaction_isAdmittedWithItsGrantOnly() {
    Grant own = manager.grant(START, 0);
    Grant foreign = manager.grant(START + Timestamps.TICK, 0);
    for (Grant grant : List.of(own, foreign)) {
      for (RegionRequest request : requests(grant)) {
        RegularWrite write = new RegularWrite(request, rules(), setting());
        if (grant == own) {
          write.admit();
        } else {
          assertThatThrownBy(write::admit).as("%s", request).hasMessageContaining("UNPROVED");
        }
      }
    }
    // Those of others show none; what they may do is decided by the state of the leader.
    new RegularWrite(new AbortLeader(START, 0, R, F, false, Proof.NONE), rules(), setting())
        .admit();
  }

  private static List<RegionRequest> requests(Grant grant) {
    FinishLeader finish = new FinishLeader(START, 0, R, F, START + Timestamps.TICK, grant);
    return List.of(
        new Flush(START, 0, ConflictLevel.ROW, new RowFamily("t", R, F), 1, List.of(), grant),
        new AbortLeader(START, 0, R, F, true, grant),
        finish,
        new Settle(0, List.of(finish)));
  }

  private RegularWrite.Setting setting() {
    FastServer server = new FastServer(ConflictLevel.ROW);
    RegionGuards guards =
        new OpenGuards() {
          @Override
          public void requireOwner(long start, Proof proof) {
            owners.requireOwner(start, proof);
          }
        };
    return new RegularWrite.Setting(
        guards,
        server.region.clock(),
        server.region.recent(),
        server.region.settled(),
        server.region.known());
  }

  private static TableRules rules() {
    return new TableRules("t", ConflictLevel.ROW, 0, 0);
  }

  private void refused(Code code, long start, Proof proof) {
    assertThatThrownBy(() -> owners.requireOwner(start, proof)).hasMessageContaining(code.name());
  }

  private static byte[] key() {
    byte[] key = new byte[ClusterKey.BYTES];
    key[0] = 1;
    return key;
  }

  /** The keys of the cluster's present term alone. */
  private final class OneTerm implements KeyRing {

    private final ClusterKey cluster = new ClusterKey(Bytes.wrap(key()));

    @Override
    public Optional<TermKeys> keys(int term) {
      looked.incrementAndGet();
      return term == TermKeys.termOf(START) ? cluster.keys(term) : Optional.empty();
    }
  }
}
