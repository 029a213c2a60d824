package io.lampone.client.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.core.FastReads.Blocked;
import io.lampone.client.core.IntentResolver.Intent;
import io.lampone.protocol.request.FastReadReply;
import io.lampone.protocol.request.FastReadRequest;
import io.lampone.protocol.request.FastReadRequest.Wants;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.trust.Tag;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a read of the fast path asks for next when it was pointed to an intent. */
class FastReadsTest {

  private final Fixture fixture = new Fixture(new TransactionLimits(0, 100, 10));
  private final FastReads reads =
      new FastReads(fixture.session, fixture.services.resolver(), fixture.manager.port()::begin);
  private final OpenTransaction writer = writer();
  private final long commit = decide();

  @Test
  void aReadOfTheLatestStateGoesOnAtATimestampThatWasIssuedForIt() {
    FastReadRequest next = resolve(Wants.LATEST, commit - 1);
    assertThat(next.upTo()).isEqualTo(fixture.manager.last).isGreaterThan(commit);
    assertThat(next.judgments()).containsEntry(writer.id().orElseThrow(), stated(writer, commit));
    assertThat(next.wantsAllIntents()).isFalse();
  }

  @Test
  void anotherReadStaysAtTheSnapshotOfItsReply() {
    FastReadRequest next = resolve(Wants.CELLS, commit - 1);
    assertThat(next.upTo()).isEqualTo(commit - 1);
    assertThat(next.judgments()).containsEntry(writer.id().orElseThrow(), Fate.INVISIBLE);
  }

  @Test
  void aReadOfTheLatestStateThatIsPointedToMoreStaysAtItsTimestamp() {
    FastReadRequest first = resolve(Wants.LATEST, 0);
    FastReadRequest second =
        fixture
            .join(
                reads.resolve(
                    List.of(
                        new Blocked(
                            first, new FastReadReply(first.upTo(), 0, 0), List.of(intent())))))
            .get(0);
    assertThat(second.upTo()).isEqualTo(first.upTo()).isLessThan(fixture.manager.last);
  }

  /** M3 */
  @Test
  void theNextAttemptCarriesTheFloorThatCameWithTheJudgments() {
    FastReadRequest first = reads.first(Wants.CELLS);
    assertThat(first.floor()).isZero();
    FastReadRequest next = resolve(Wants.CELLS, commit);
    assertThat(next.floor()).isEqualTo(fixture.manager.begin().join().floor()).isPositive();
    assertThat(reads.first(Wants.CELLS).floor()).isEqualTo(next.floor());
  }

  @Test
  void whatIsShownTheSessionKnowsOf() {
    reads.shows(new FastReadReply(commit, 0, 0));
    assertThat(reads.first(Wants.CELLS).mark()).isEqualTo(commit);
  }

  private FastReadRequest resolve(Wants wants, long snapshot) {
    Blocked row =
        new Blocked(reads.first(wants), new FastReadReply(snapshot, 0, 0), List.of(intent()));
    return fixture.join(reads.resolve(List.of(row))).get(0);
  }

  private Intent intent() {
    return new Intent(writer.id().orElseThrow(), Fixture.place("b"));
  }

  private OpenTransaction writer() {
    OpenTransaction begun = fixture.begin();
    Fixture.put(begun, "a", "q", "1");
    Fixture.put(begun, "b", "q", "1");
    return begun;
  }

  private long decide() {
    long timestamp = fixture.manager.next();
    fixture.manager.decisions.put(
        writer.startTimestamp(), new Validation.Passed(timestamp, Tag.NONE));
    return timestamp;
  }

  private static Fate stated(OpenTransaction writer, long commit) {
    return new Fate(commit, Proofs.OPEN.fate(writer.id().orElseThrow(), commit));
  }
}
