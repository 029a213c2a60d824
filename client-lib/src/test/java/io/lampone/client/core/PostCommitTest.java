package io.lampone.client.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.core.failure.AbsentLeaderException;
import io.lampone.client.core.failure.StoreUnavailableException;
import io.lampone.client.core.step.Step;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.Grant;
import io.lampone.protocol.trust.Proof;
import io.lampone.protocol.trust.Proofs;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The work after an abort, where the leader cannot be aborted. */
final class PostCommitTest {

  private static final Grant GRANT = Proofs.OPEN.grant(0, 0);

  private static final TransactionId ID = new TransactionId(1L << 60, place("leader"));

  private final MemoryStore memory = new MemoryStore();
  private final List<Long> healedTo = new ArrayList<>();

  private static RowFamily place(String row) {
    return new RowFamily("table", Bytes.utf8(row), Bytes.utf8("f"));
  }

  @Test
  void whereTheLeadersTableWasDroppedTheServersOfItsFollowersFindOut() {
    PostCommit postCommit = postCommit(new AbsentLeaderException(ID));
    new Fixture().join(postCommit.afterAbort(ID, 0, List.of(place("follower")), true, GRANT));
    assertThat(healedTo).isEmpty();
    assertThat(memory.log).containsExactly("resolve");
    assertThat(postCommit.failed()).isZero();
  }

  /** M11: it may have been committed. */
  @Test
  void noFollowerIsTouchedWhileNobodyKnowsWhatTheLeaderHolds() {
    PostCommit postCommit = postCommit(new StoreUnavailableException("silence", null));
    new Fixture().join(postCommit.afterAbort(ID, 0, List.of(place("follower")), true, GRANT));
    assertThat(healedTo).isEmpty();
    assertThat(postCommit.failed()).isEqualTo(1);
  }

  private PostCommit postCommit(RuntimeException failure) {
    ForwardingStore store =
        new ForwardingStore(memory) {
          @Override
          public Step<Outcome> abortLeader(
              TransactionId id, long floor, boolean plant, Proof proof) {
            return Step.failed(failure);
          }

          @Override
          public Step<Void> heal(
              TransactionId id, long floor, Collection<RowFamily> followers, Fate fate) {
            healedTo.add(fate.commitTimestamp());
            return Step.done();
          }
        };
    return new PostCommit(store, 10);
  }
}
