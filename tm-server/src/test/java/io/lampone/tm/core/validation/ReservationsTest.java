package io.lampone.tm.core.validation;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictKeys;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import io.lampone.protocol.tm.BucketMap;
import io.lampone.protocol.tm.Validator.Assignment;
import io.lampone.protocol.tm.Validator.Reason;
import io.lampone.protocol.tm.Validator.Request;
import io.lampone.protocol.tm.Validator.Terms;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.protocol.tm.Validator.Vote;
import io.lampone.protocol.trust.ClusterKey;
import io.lampone.protocol.trust.Grant;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.FrameLayout;
import io.lampone.protocol.wire.ReplyWriter;
import io.lampone.protocol.wire.RequestCursor;
import io.lampone.protocol.wire.WireReply;
import io.lampone.protocol.wire.WireRequest;
import io.lampone.tm.core.Exchange;
import io.lampone.tm.core.ManualClock;
import io.lampone.tm.core.oracle.TimestampAllocator;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** LeanXcale's conflict manager (paper 000, 4.1): the first updater wins. */
class ReservationsTest {

  private static final long CAPABILITIES =
      Capabilities.ASSIGNED | Capabilities.BUCKETS | Capabilities.RESERVATIONS;
  private static final long INCARNATION = 7;
  private static final Duration AHEAD = Duration.ofMinutes(1);
  private static final long X = 101;
  private static final long Y = 202;
  private static final long Z = 303;
  private static final Validation YES = new Validation.Voted();

  private final ManualClock clock = new ManualClock();
  private final long floor = TimestampAllocator.firstAfter(0, clock);
  private final TimestampAllocator timestamps =
      new TimestampAllocator(clock, floor, TimestampAllocator.boundAhead(floor, AHEAD), AHEAD);
  private final BucketOwners owners = new BucketOwners();
  private final TransactionManagerCore primary =
      TransactionManagerCore.of(
          timestamps, new ConflictTable(64), new DecisionCache(64), owners, floor, 0, Proofs.OPEN);
  private final VotingCore validator = new VotingCore(INCARNATION, 64, Proofs.OPEN, clock);
  private final Reservations reservations = new Reservations();

  /** What decides on the hashes of a bucket. */
  private interface Decider {

    BatchOutcome handle(RequestCursor requests, ReplyWriter replies);
  }

  /** The rows x, y and z; T1 to T4; the commit of T2. */
  @Test
  void figure3OfLeanXcale_atThePrimaryAlone() {
    long t1 = begin();
    long t2 = begin();
    long t3 = begin();
    assertThat(reserve(primary::handle, t1, X)).isEqualTo(YES);
    assertThat(reserve(primary::handle, t2, Y)).isEqualTo(YES);
    assertThat(reserve(primary::handle, t3, Z)).isEqualTo(YES);
    assertThat(reserve(primary::handle, t3, Y)).isEqualTo(new Validation.Held(0, t2));
    long c2 = ((Validation.Passed) validate(t2, Y)).commitTimestamp();
    assertThat(reserve(primary::handle, t3, Y)).isEqualTo(new Validation.Conflict(0, c2));
    long t4 = begin();
    assertThat(t4).isGreaterThan(c2);
    assertThat(reserve(primary::handle, t4, Y)).isEqualTo(YES);
    assertThat(reserve(primary::handle, begin(), Y)).isEqualTo(new Validation.Held(0, t4));
    assertThat(reserve(primary::handle, t4, X)).isEqualTo(new Validation.Held(0, t1));
  }

  @Test
  void figure3OfLeanXcale_atAnotherValidator() {
    assertThat(reserve(validator::handle, at(10), X)).isEqualTo(YES);
    assertThat(reserve(validator::handle, at(20), Y)).isEqualTo(YES);
    assertThat(reserve(validator::handle, at(30), Z)).isEqualTo(YES);
    assertThat(reserve(validator::handle, at(30), Y)).isEqualTo(new Validation.Held(0, at(20)));
    assertThat(vote(at(20), at(40), Y)).isEqualTo(YES);
    assertThat(reserve(validator::handle, at(30), Y)).isEqualTo(new Validation.Conflict(0, at(40)));
    assertThat(reserve(validator::handle, at(50), Y)).isEqualTo(YES);
    assertThat(reserve(validator::handle, at(60), Y)).isEqualTo(new Validation.Held(0, at(50)));
  }

  /** Neither a validation nor a vote looks at reservations. */
  @Test
  void whatOthersHaveReserved_mayBeCommitted() {
    long holder = begin();
    long other = begin();
    assertThat(reserve(primary::handle, holder, X)).isEqualTo(YES);
    assertThat(validate(other, X)).isInstanceOf(Validation.Passed.class);
    assertThat(reserve(primary::handle, holder, X)).isInstanceOf(Validation.Conflict.class);

    assertThat(reserve(validator::handle, at(10), X)).isEqualTo(YES);
    assertThat(vote(at(20), at(30), X)).isEqualTo(YES);
    // Of the same transactions: who began later may reserve when the first one is gone.
    assertThat(reserve(validator::handle, at(40), X)).isEqualTo(new Validation.Held(0, at(10)));
    assertThat(reserve(validator::handle, at(10), X)).isEqualTo(new Validation.Conflict(0, at(30)));
  }

  @Test
  void aReservationEnds_withTheDecisionOfItsHolder_orItsRelease() {
    long first = begin();
    long second = begin();
    assertThat(validate(second, Z)).isInstanceOf(Validation.Passed.class);
    assertThat(reserve(primary::handle, first, X, Y)).isEqualTo(YES);
    assertThat(ask(primary::handle, request(first, X), true)).isEqualTo(YES);
    assertThat(reserve(primary::handle, begin(), X)).isEqualTo(YES);
    assertThat(reserve(primary::handle, begin(), Y)).isEqualTo(new Validation.Held(0, first));
    // A conflict ends it, too.
    assertThat(validate(first, Y, Z)).isInstanceOf(Validation.Conflict.class);
    assertThat(reserve(primary::handle, begin(), Y)).isEqualTo(YES);
    // Late frames of a transaction that has been decided reserve nothing, and release nothing.
    long third = begin();
    assertThat(reserve(primary::handle, first, 55)).isEqualTo(YES);
    assertThat(reserve(primary::handle, third, 55)).isEqualTo(YES);
    assertThat(ask(primary::handle, request(first, 55), true)).isEqualTo(YES);
    assertThat(reserve(primary::handle, begin(), 55)).isEqualTo(new Validation.Held(0, third));
  }

  @Test
  void aReservationEnds_aSecondAfterItsLastRenewal() {
    assertThat(reserve(validator::handle, at(10), X)).isEqualTo(YES);
    clock.advance(Duration.ofMillis(600));
    assertThat(reserve(validator::handle, at(10), X)).isEqualTo(YES);
    clock.advance(Duration.ofMillis(999));
    assertThat(reserve(validator::handle, at(20), X)).isEqualTo(new Validation.Held(0, at(10)));
    clock.advance(Duration.ofMillis(1));
    assertThat(reserve(validator::handle, at(20), X)).isEqualTo(YES);
    assertThat(reserve(validator::handle, at(10), X)).isEqualTo(new Validation.Held(0, at(20)));
  }

  /** A client that begins one transaction cannot keep others from its rows with it for ever. */
  @Test
  void aTransactionThatBeganLongAgo_renewsNothing() {
    for (Decider each : List.<Decider>of(primary::handle, validator::handle)) {
      long old = begin();
      assertThat(ask(each, request(old, new long[0], new long[] {X}), false)).isEqualTo(YES);
      Duration held = Duration.ZERO;
      while (reserve(each, begin(), X).equals(new Validation.Held(0, old))) {
        assertThat(held).isLessThan(Reservations.LONGEST.plusSeconds(2));
        clock.advance(Duration.ofMillis(900));
        held = held.plusMillis(900);
        assertThat(ask(each, request(old, new long[0], new long[] {X}), false)).isEqualTo(YES);
      }
      assertThat(held).isGreaterThanOrEqualTo(Reservations.LONGEST);
      // Nor does it reserve anything else.
      assertThat(reserve(each, old, Y)).isEqualTo(YES);
      assertThat(reserve(each, begin(), Y)).isEqualTo(YES);
      clock.advance(Reservations.LIFETIME);
    }
  }

  @Test
  void wideDeletesAndCells_meetAsInValidations() {
    long[][] put = keys(IntentKind.PUT, "a");
    long[][] other = keys(IntentKind.PUT, "b");
    long[][] family = keys(IntentKind.DELETE_FAMILY, "");
    assertThat(ask(validator::handle, request(at(10), put[0], put[1]), false)).isEqualTo(YES);
    assertThat(ask(validator::handle, request(at(20), other[0], other[1]), false)).isEqualTo(YES);
    assertThat(ask(validator::handle, request(at(30), put[0], put[1]), false))
        .isInstanceOf(Validation.Held.class);
    assertThat(ask(validator::handle, request(at(40), family[0], family[1]), false))
        .isInstanceOf(Validation.Held.class);
    clock.advance(Reservations.LIFETIME);
    assertThat(ask(validator::handle, request(at(40), family[0], family[1]), false)).isEqualTo(YES);
    assertThat(ask(validator::handle, request(at(50), other[0], other[1]), false))
        .isInstanceOf(Validation.Held.class);
  }

  /** A client that has begun a transaction cannot reserve for another one's. */
  @Test
  void aReservationForAnotherClientsTransaction_endsTheConnection_andReservesNothing() {
    byte[] anotherKey = new byte[ClusterKey.BYTES];
    anotherKey[0] = 1;
    long start = begin();
    List<Grant> wrong =
        List.of(
            new Proofs(new ClusterKey(Bytes.wrap(anotherKey))).grant(start, 0),
            Proofs.OPEN.grant(start + Timestamps.TICK, 5),
            Proofs.OPEN.grant(start - 2 * Timestamps.TICK, 1));
    for (Grant grant : wrong) {
      for (boolean release : List.of(false, true)) {
        WireRequest forged =
            new WireRequest.Reserve(
                1, new Request(start, grant, false, new long[] {X}, new long[] {X}), release);
        for (Decider each : List.<Decider>of(primary::handle, validator::handle)) {
          assertThat(Exchange.with(each::handle, CAPABILITIES, List.of(forged)).outcome())
              .isEqualTo(new BatchOutcome.Unowned(start));
        }
      }
    }
    long other = begin();
    assertThat(reserve(primary::handle, other, X)).isEqualTo(YES);
    assertThat(reserve(validator::handle, other, X)).isEqualTo(YES);
  }

  @Test
  void aTimestampThatWasNeverIssued_reservesNothing() {
    long invented = timestamps.last() + 10 * Timestamps.TICK;
    Exchange exchange =
        Exchange.with(
            primary::handle,
            CAPABILITIES,
            List.of(new WireRequest.Reserve(1, request(invented, X), false)));
    assertThat(exchange.replies())
        .containsExactly(new WireReply.Failed(1, WireReply.Failure.BAD_TIMESTAMP, 0));
    assertThat(reserve(primary::handle, begin(), X)).isEqualTo(YES);
  }

  @Test
  void thePrimaryReservesOnlyWhatItOwns_byTheMapOfNow() {
    long start = begin();
    BucketMap.Node node = new BucketMap.Node("v", "localhost:1", INCARNATION);
    owners.add(node, primary.draw(), false);
    Validation moved = new Validation.Refused(Reason.MOVED, 0);
    assertThat(reserve(primary::handle, start, X)).isEqualTo(moved);
    Request sharded = request(start, X);
    assertThat(ask(primary::handle, by(sharded, owners.map().version() + 1), false))
        .isEqualTo(moved);
    assertThat(ask(primary::handle, by(sharded, owners.map().version()), false)).isEqualTo(YES);
    assertThat(ask(primary::handle, request(start, X), true)).isEqualTo(YES); // a release
  }

  /** One sender cannot hold everything, and all together no more than the capacity. */
  @Test
  void reservationsAreLimited_forEachSender_andInAll() {
    int frames = Reservations.CAPACITY / Reservations.MAX_OF_SENDER + 1;
    for (int sender = 0; sender < frames; sender++) {
      hold(at(1 + sender), sender * 1_000_000L, 2 * Reservations.MAX_OF_SENDER);
      assertThat(reservations.size(now()))
          .isEqualTo(Math.min(Reservations.CAPACITY, (sender + 1) * Reservations.MAX_OF_SENDER));
    }
    assertThat(reservations.holder(Reservations.MAX_OF_SENDER - 1, now())).isEqualTo(at(1));
    assertThat(reservations.holder(Reservations.MAX_OF_SENDER, now())).isEqualTo(Reservations.NONE);
    assertThat(reservations.holder((frames - 1) * 1_000_000L, now())).isEqualTo(Reservations.NONE);
    clock.advance(Reservations.LIFETIME);
    assertThat(reservations.holder(0, now())).isEqualTo(Reservations.NONE);
    assertThat(reservations.size(now())).isZero();
    hold(at(90), 0, 1);
    assertThat(reservations.size(now())).isEqualTo(1);
  }

  /** Against the rules, in a map without limits. */
  @Test
  void whatIsHeld_isWhatTheRulesSay() {
    for (long seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      VotingCore core = new VotingCore(INCARNATION, 64, Proofs.OPEN, clock);
      Map<Long, long[]> model = new HashMap<>(); // start and end by hash
      Map<Long, Long> written = new HashMap<>();
      for (int step = 0; step < 60; step++) {
        long start = at(1000 + random.nextInt(6) * 10);
        long hash = random.nextInt(4);
        long commit = at(1000 + random.nextInt(100));
        clock.advance(Duration.ofMillis(random.nextInt(400)));
        model.values().removeIf(held -> held[1] - now() <= 0);
        long[] held = model.get(hash);
        long last = written.getOrDefault(hash, 0L);
        switch (random.nextInt(4)) {
          case 0 -> {
            ask(core::handle, request(start, hash), true);
            model.values().removeIf(each -> each == held && each[0] == start);
          }
          case 1 -> {
            if (commit > start) {
              boolean yes = vote(core, start, commit, hash).equals(YES);
              assertThat(yes).as("seed=%s", seed).isEqualTo(last <= start || last == commit);
              model.values().removeIf(each -> each == held && each[0] == start);
              if (yes) {
                written.merge(hash, commit, Math::max);
              }
            }
          }
          default -> {
            Validation expected =
                last > start
                    ? new Validation.Conflict(0, last)
                    : held != null && held[0] != start ? new Validation.Held(0, held[0]) : YES;
            assertThat(reserve(core::handle, start, hash)).as("seed=%s", seed).isEqualTo(expected);
            if (expected.equals(YES)) {
              model.put(hash, new long[] {start, now() + Reservations.LIFETIME.toNanos()});
            }
          }
        }
      }
    }
  }

  /** Lets one sender reserve a number of hashes, beginning with {@code first}. */
  private void hold(long start, long first, int count) {
    List<WireRequest> requests = new ArrayList<>();
    for (int from = 0; from < count; from += FrameLayout.MAX_RESERVED) {
      long[] hashes = new long[Math.min(FrameLayout.MAX_RESERVED, count - from)];
      for (int i = 0; i < hashes.length; i++) {
        hashes[i] = first + from + i;
      }
      requests.add(new WireRequest.Reserve(from, request(start, new long[0], hashes), false));
    }
    Decider alone =
        (cursor, replies) -> {
          while (cursor.next()) {
            reservations.answer(cursor, hash -> 0, now(), replies);
          }
          return BatchOutcome.ANSWERED;
        };
    assertThat(Exchange.with(alone::handle, CAPABILITIES, requests).replies())
        .hasSameSizeAs(requests);
  }

  private long now() {
    return clock.monotonicNanos();
  }

  private static long[][] keys(IntentKind kind, String qualifier) {
    ConflictKeys keys = new ConflictKeys();
    keys.add(
        ConflictLevel.CELL,
        new RowFamily("t", Bytes.utf8("r"), Bytes.utf8("f")),
        kind,
        Bytes.utf8(qualifier));
    return new long[][] {keys.checkHashes(), keys.recordHashes()};
  }

  private static long at(long time) {
    return Timestamps.PLAIN_LIMIT + (time << 8);
  }

  private long begin() {
    Exchange exchange = Exchange.with(primary::handle, List.of(new WireRequest.Begin(1)));
    return ((WireReply.Begun) exchange.replies().get(0)).begin().startTimestamp();
  }

  private static Request request(long start, long... hashes) {
    return request(start, hashes, hashes);
  }

  private static Request request(long start, long[] check, long[] record) {
    return new Request(start, Proofs.OPEN.grant(start, 0), false, check, record);
  }

  private static Request by(Request request, long mapVersion) {
    return new Request(
        request.startTimestamp(),
        request.grant(),
        false,
        request.check(),
        request.record(),
        new Terms(false, false, mapVersion));
  }

  private static Validation reserve(Decider at, long start, long... hashes) {
    return ask(at, request(start, hashes), false);
  }

  private static Validation ask(Decider at, Request request, boolean release) {
    WireReply reply =
        Exchange.with(
                at::handle, CAPABILITIES, List.of(new WireRequest.Reserve(1, request, release)))
            .replies()
            .get(0);
    return reply instanceof WireReply.Validated refused
        ? refused.validation()
        : ((WireReply.Reserved) reply).answer();
  }

  private Validation validate(long start, long... hashes) {
    Request request = new Request(start, Proofs.OPEN.grant(start, 0), true, hashes, hashes);
    Exchange exchange =
        Exchange.with(primary::handle, CAPABILITIES, List.of(new WireRequest.Validate(1, request)));
    return ((WireReply.Validated) exchange.replies().get(0)).validation();
  }

  private Validation vote(long start, long commit, long hash) {
    return vote(validator, start, commit, hash);
  }

  private static Validation vote(VotingCore core, long start, long commit, long hash) {
    Assignment assigned = new Assignment(start, commit, Proofs.OPEN.pass(start, commit));
    Vote vote = new Vote(assigned, INCARNATION, start, 0, new long[] {hash}, new long[] {hash});
    Exchange exchange =
        Exchange.with(core::handle, CAPABILITIES, List.of(new WireRequest.Vote(1, vote)));
    return ((WireReply.Validated) exchange.replies().get(0)).validation();
  }
}
