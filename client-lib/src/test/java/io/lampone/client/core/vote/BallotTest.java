package io.lampone.client.core.vote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictKeys;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.request.FastCondition.Place;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import io.lampone.protocol.tm.BucketMap;
import io.lampone.protocol.tm.BucketMap.Era;
import io.lampone.protocol.tm.BucketMap.Node;
import io.lampone.protocol.tm.Validator.Assignment;
import io.lampone.protocol.tm.Validator.Vote;
import io.lampone.protocol.trust.Tag;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who is asked, by the rule of eras. */
class BallotTest {

  private static final Node A = new Node("a", "a:1", 1);
  private static final Node B = new Node("b", "b:1", 2);
  private static final Assignment ASSIGNED = new Assignment(150, 900, Tag.NONE);

  @Test
  void withoutAChange_thePrimaryAloneDecides() {
    ConflictKeys keys = keys();
    Ballot ballot = new Ballot(BucketMap.OF_PRIMARY, 150, keys);
    assertThat(ballot.isAtPrimary()).isTrue();
    assertThat(ballot.mapVersion()).isZero();
    assertThat(ballot.checkAtPrimary()).isEqualTo(keys.checkHashes());
    assertThat(ballot.recordAtPrimary()).isEqualTo(keys.recordHashes());
    assertThat(ballot.requests(ASSIGNED)).isEmpty();
  }

  @Test
  void anOwnerSinceTheStart_isAskedAlone() {
    Ballot ballot = new Ballot(map(new Era(150, 1), new Era(0, 0)), 150, keys());
    assertThat(ballot.isAtPrimary()).isFalse();
    assertThat(ballot.mapVersion()).isEqualTo(800);
    assertThat(ballot.checkAtPrimary()).isEmpty();
    assertThat(ballot.recordAtPrimary()).isEmpty();
    Ballot.Request request = ballot.requests(ASSIGNED).get(0);
    assertThat(request.validator()).isEqualTo(A);
    Vote vote = request.vote();
    assertThat(vote.from()).isEqualTo(150);
    assertThat(vote.incarnation()).isEqualTo(1);
    // The read hash first, then the written one.
    assertThat(vote.reads()).isEqualTo(1);
    assertThat(request.checks()).containsExactly(1, 0);
    assertThat(vote.record()).isEqualTo(keys().recordHashes());
  }

  @Test
  void whoBeganEarlier_asksTheOwnersBeforeToo() {
    Ballot ballot = new Ballot(map(new Era(800, 2), new Era(200, 1), new Era(0, 0)), 150, keys());
    assertThat(ballot.checkAtPrimary()).hasSize(2);
    assertThat(ballot.positionOfCheck(0)).isZero();
    assertThat(ballot.requests(ASSIGNED))
        .extracting(Ballot.Request::validator, request -> request.vote().from())
        .containsExactlyInAnyOrder(tuple(B, 800L), tuple(A, 200L));
  }

  /** A bucket that has moved away and come back is asked once, about all since the start. */
  @Test
  void anOwnerOfTwoEras_isAskedOnce() {
    Ballot ballot =
        new Ballot(
            map(new Era(800, 1), new Era(500, 0), new Era(100, 1), new Era(0, 0)), 150, keys());
    assertThat(ballot.requests(ASSIGNED)).hasSize(1);
    assertThat(ballot.requests(ASSIGNED).get(0).vote().from()).isEqualTo(150);
    assertThat(ballot.requests(ASSIGNED).get(0).vote().record()).hasSize(1);
    assertThat(ballot.recordAtPrimary()).hasSize(1);
  }

  @Test
  void aLostOrForgottenEra_cannotBeAsked() {
    assertThat(new Ballot(map(new Era(800, 0), new Era(0, -1)), 150, keys()).isComplete())
        .isFalse();
    assertThat(new Ballot(map(new Era(800, 0)), 150, keys()).isComplete()).isFalse();
    assertThat(new Ballot(map(new Era(150, 0), new Era(0, -1)), 150, keys()).isAtPrimary())
        .isTrue();
  }

  /** Recorded below a checker's commit timestamp later, a fence must be refused. */
  @Test
  void aFenceIsRememberedLikeARead() {
    ConflictKeys keys = new ConflictKeys();
    keys.addFence("t");
    Ballot ballot = new Ballot(map(new Era(100, 1), new Era(0, 0)), 150, keys);
    assertThat(ballot.requests(ASSIGNED).get(0).vote().reads()).isEqualTo(1);
  }

  /** A put and a delete of its family meet at two marks, which may have two validators. */
  @Test
  void marksOfFamiliesAreRememberedLikeReads() {
    RowFamily place = new RowFamily("t", Bytes.utf8("w"), Bytes.utf8("f"));
    ConflictKeys put = new ConflictKeys();
    put.add(ConflictLevel.CELL, place, IntentKind.PUT, Bytes.utf8("q"));
    assertThat(reads(put)).as("DEL").isEqualTo(1);
    ConflictKeys delete = new ConflictKeys();
    delete.add(ConflictLevel.CELL, place, IntentKind.DELETE_FAMILY, Bytes.EMPTY);
    assertThat(reads(delete)).as("ANY and DEL").isEqualTo(2);
    ConflictKeys row = new ConflictKeys();
    row.add(ConflictLevel.ROW, place, IntentKind.PUT, Bytes.utf8("q"));
    assertThat(reads(row)).isZero();
  }

  private static int reads(ConflictKeys keys) {
    Ballot ballot = new Ballot(map(new Era(100, 1), new Era(0, 0)), 150, keys);
    return ballot.requests(ASSIGNED).get(0).vote().reads();
  }

  private static BucketMap map(Era... eras) {
    return new BucketMap(
        800, List.of(A, B), List.of(new BucketMap.Run(BucketMap.BUCKETS, List.of(eras))));
  }

  private static ConflictKeys keys() {
    ConflictKeys keys = new ConflictKeys();
    RowFamily written = new RowFamily("t", Bytes.utf8("w"), Bytes.utf8("f"));
    keys.add(ConflictLevel.ROW, written, IntentKind.PUT, Bytes.utf8("q"));
    keys.addRead(
        ConflictLevel.ROW, "t", Bytes.utf8("r"), new Place(Bytes.utf8("f"), false, Bytes.EMPTY));
    return keys;
  }
}
