package io.lampone.simulation.client;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictKeys;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import io.lampone.protocol.tm.BucketMap;
import io.lampone.protocol.tm.TransactionManager;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.protocol.trust.Tag;
import io.lampone.simulation.Cluster;
import io.lampone.simulation.world.Chance;
import io.lampone.simulation.world.Schema;
import java.util.List;

/**
 * Votes that a hostile client requests: on timestamps that were not assigned, with passes that are
 * invented or belong to other transactions, of incarnations that do not exist, and its own ones
 * again. It names the hashes of honest rows.
 */
final class ForeignVotes {

  private static final long SALT = 0x7A11DF02E16AL;

  private final Stranger stranger;
  private final Cluster cluster;
  private final Chance chance;
  private final TransactionManager manager;
  private final OwnStatements own;
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
    ConflictKeys keys = new ConflictKeys();
    List<Bytes> rows = Schema.rows(Schema.mostRows());
    for (int i = chance.between(1, 3); i > 0; i--) {
      Schema.Column column = chance.pick(Schema.COLUMNS);
      keys.add(
          cluster.parts().plan().level(),
          Schema.place(chance.pick(rows), column.family()),
          IntentKind.PUT,
          column.qualifier());
    }
    return new Validator.Vote(
        shown,
        incarnation,
        shown.startTimestamp(),
        keys.checkHashes().length,
        keys.checkHashes(),
        keys.recordHashes());
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
