package io.lampone.simulation.client;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictKeys;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import io.lampone.protocol.tm.BucketMap;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import io.lampone.protocol.tm.TransactionManager;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.protocol.trust.Grant;
import io.lampone.protocol.trust.Tag;
import io.lampone.protocol.wire.FrameLayout;
import io.lampone.simulation.Cluster;
import io.lampone.simulation.world.Chance;
import io.lampone.simulation.world.Schema;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Votes that a hostile client requests: on timestamps that were not assigned, with passes that are
 * invented or belong to other transactions, of incarnations that do not exist, and its own ones
 * again. It names the hashes of honest rows.
 *
 * <p>It also reserves hashes (ADR 96): with grants that are invented or of another transaction, for
 * its own transactions while they run and after their end, of honest rows and thousands more, at
 * their owners and elsewhere, renewed and replayed.
 */
final class ForeignVotes {

  private static final long SALT = 0x7A11DF02E16AL;

  /** Such that no run that shows an older mutant reserves. */
  private static final long RESERVING_SALT = 0x4E5E4BED000FL;

  private static final int ONE_RESERVING_IN = 8;

  /** Requests of a flood: more than one connection may have reserved. */
  private static final int FLOOD = 20;

  private final Stranger stranger;
  private final Cluster cluster;
  private final Chance chance;
  private final TransactionManager manager;
  private final OwnStatements own;
  private final Chance reserving;
  private final boolean reserves;
  private long[] reserved = {};
  private @Nullable Begin begun;
  private int sent;

  ForeignVotes(
      Stranger stranger,
      Cluster cluster,
      TransactionManager manager,
      OwnStatements own,
      long seed) {
    this.stranger = stranger;
    this.cluster = cluster;
    this.chance = new Chance(seed ^ SALT);
    this.manager = manager;
    this.own = own;
    this.reserving = new Chance(seed ^ RESERVING_SALT);
    this.reserves = reserving.oneIn(ONE_RESERVING_IN) || cluster.parts().plan().early();
  }

  /**
   * Requests a vote, if there are validators.
   *
   * @param newestSeen newest timestamp seen in a transaction cell
   */
  void send(long newestSeen) {
    if (cluster.validators().processes().isEmpty() || newestSeen == 0) {
      return;
    }
    var unused =
        manager.buckets().thenAccept(map -> send(map, newestSeen)).exceptionally(e -> null);
    assert unused != null;
  }

  private void send(BucketMap map, long newestSeen) {
    if (map.validators().isEmpty()) {
      return;
    }
    BucketMap.Node at = chance.pick(map.validators());
    Validator.Assignment real = own.assignment(new Validator.Assignment(0, 0, Tag.NONE));
    boolean replays = real.startTimestamp() != 0 && chance.oneIn(2);
    boolean stale = chance.oneIn(3);
    Validator.Assignment shown = replays ? real : forged(newestSeen);
    long incarnation = stale ? chance.nextLong() : at.incarnation();
    Validator.Vote vote = vote(shown, incarnation);
    stranger.say(() -> "VOTES at=" + at.name() + " replays=" + replays + " stale=" + stale);
    var unused =
        manager
            .vote(at, vote)
            .thenAccept(answer -> require(answer, replays, stale))
            .exceptionally(e -> null);
    assert unused != null;
  }

  private Validator.Assignment forged(long newestSeen) {
    long start = newestSeen - chance.between(0, 3) * Timestamps.TICK;
    long commit = start + chance.between(0, 1 << 20) * Timestamps.TICK;
    return new Validator.Assignment(start, commit, own.pass(new Tag(start, sent++)));
  }

  private Validator.Vote vote(Validator.Assignment shown, long incarnation) {
    ConflictKeys keys = keys(chance);
    return new Validator.Vote(
        shown,
        incarnation,
        shown.startTimestamp(),
        keys.checkHashes().length,
        keys.checkHashes(),
        keys.recordHashes());
  }

  private ConflictKeys keys(Chance drawn) {
    ConflictKeys keys = new ConflictKeys();
    List<Bytes> rows = Schema.rows(Schema.mostRows());
    for (int i = drawn.between(1, 3); i > 0; i--) {
      Schema.Column column = drawn.pick(Schema.COLUMNS);
      keys.add(
          cluster.parts().plan().level(),
          Schema.place(drawn.pick(rows), column.family()),
          IntentKind.PUT,
          column.qualifier());
    }
    return keys;
  }

  /** Requests reservations. */
  void reserve(long newestSeen) {
    if (reserves) {
      var unused =
          (begun == null ? manager.begin() : CompletableFuture.completedFuture(begun))
              .thenCombine(manager.buckets(), (begin, map) -> reserve(begin, map, newestSeen))
              .exceptionally(refused -> false);
      assert unused != null;
    }
  }

  private boolean reserve(Begin begin, BucketMap map, long newestSeen) {
    begun = begin;
    Optional<BucketMap.Node> at = Optional.empty();
    if (!map.validators().isEmpty() && reserving.oneIn(2)) {
      at = Optional.of(reserving.pick(map.validators()));
    }
    long start = begin.startTimestamp();
    boolean floods = reserving.oneIn(6);
    boolean forges = !floods && newestSeen != 0 && reserving.oneIn(5);
    if (forges) {
      start = newestSeen - reserving.between(0, 3) * Timestamps.TICK;
      forges = start != begin.startTimestamp();
    } else if (reserving.oneIn(8)) { // what follows is for an ended transaction
      var unused = manager.validate(request(begin, begin.startTimestamp(), new long[0], 0));
      assert unused != null;
      begun = reserving.oneIn(2) ? begin : null;
    }
    for (int i = floods ? FLOOD : 1; i > 0; i--) {
      if (floods) {
        reserved = reserving.longs(FrameLayout.MAX_RESERVED).toArray();
      } else if (!reserving.oneIn(3)) { // otherwise the last ones again
        reserved = keys(reserving).recordHashes();
      }
      long version = reserving.oneIn(2) ? map.version() : 0;
      reserve(at, request(begin, start, reserved, version), forges);
    }
    return forges;
  }

  /** Uses the grant of {@code begin}, or a wrong one where the start timestamp is another. */
  private Validator.Request request(Begin begin, long start, long[] hashes, long version) {
    Tag secret = reserving.oneIn(2) ? begin.grant().secret() : new Tag(start, sent++);
    boolean isOwn = start == begin.startTimestamp();
    Grant grant = isOwn ? begin.grant() : new Grant(start, 0, secret);
    long[] checks = hashes.length < FrameLayout.MAX_RESERVED / 2 ? hashes : new long[0];
    Validator.Terms terms = new Validator.Terms(false, false, version);
    return new Validator.Request(start, grant, true, checks, hashes, terms);
  }

  private void reserve(Optional<BucketMap.Node> at, Validator.Request asked, boolean forged) {
    stranger.say(() -> "RESERVES hashes=" + asked.record().length + " forged=" + forged);
    var unused =
        manager
            .reserve(at, asked, reserving.oneIn(8))
            .thenAccept(
                answer -> {
                  if (forged) {
                    stranger.world().violated("ReservationsAreHints", "without grant: " + answer);
                  }
                })
            .exceptionally(refused -> null);
    assert unused != null;
  }

  private void require(Validation answer, boolean replays, boolean stale) {
    boolean voted = answer instanceof Validation.Voted || answer instanceof Validation.Conflict;
    if (voted && (!replays || stale)) {
      stranger
          .world()
          .violated(
              "OnlyAssignedIsVotedOn",
              "a validator has voted, replays=" + replays + " stale=" + stale + " " + answer);
    }
  }
}
