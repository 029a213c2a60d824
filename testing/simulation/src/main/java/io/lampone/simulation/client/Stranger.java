package io.lampone.simulation.client;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.LeaderReadRequest;
import io.lampone.protocol.request.ReadRequest;
import io.lampone.protocol.request.RegionReply;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.request.RegionRequest.AbortLeader;
import io.lampone.protocol.request.RegionRequest.CommitLeader;
import io.lampone.protocol.request.RegionRequest.FamilyIntents;
import io.lampone.protocol.request.RegionRequest.FinishLeader;
import io.lampone.protocol.request.RegionRequest.Flush;
import io.lampone.protocol.request.RegionRequest.FollowerList;
import io.lampone.protocol.request.RegionRequest.Heal;
import io.lampone.protocol.request.RegionRequest.IntentCell;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import io.lampone.protocol.request.RegionRequest.RowIntents;
import io.lampone.protocol.tm.TransactionManager;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.Grant;
import io.lampone.protocol.trust.Proof;
import io.lampone.protocol.trust.Tag;
import io.lampone.simulation.Cluster;
import io.lampone.simulation.hbase.RegionCalls;
import io.lampone.simulation.hbase.RegionReads;
import io.lampone.simulation.hbase.RowView;
import io.lampone.simulation.manager.ManagerPort;
import io.lampone.simulation.world.Chance;
import io.lampone.simulation.world.Schema;
import io.lampone.simulation.world.SimulatedMachine;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A hostile client, which may write and read all rows. It sees the start timestamps of honest
 * transactions, writes under them with a forged grant, puts leaders with them into its own rows,
 * decides those as it likes, sends heals and judgments, and decides honest transactions on their
 * own leaders and finishes them, with statements that are forged or were made of another leader. It
 * requests commit timestamps for them, with and without a condition, and certification of their
 * possible reads, and reserves what they write. It reads, writes and certifies with timestamps not
 * issued yet. In half of its runs it also shows statements made of its own transactions. The only
 * allowed effect on the rows of others is that their transactions abort: there all invariants hold.
 */
public final class Stranger extends SimulatedMachine {

  /** One run in so many has a stranger, which draws separately: other runs do not change. */
  private static final int ONE_RUN_IN = 4;

  static final long SALT = 0x5bd1e9955bd1e995L;

  /** Honest rows are never called so; they lie within the second region. */
  static final String OWN = "h";

  private static final long HIGHEST_FLUSH = 1L << 40;

  private final Cluster cluster;
  private final Chance chance;
  private final RegionCalls calls;
  private final TransactionManager manager;
  private final OwnStatements own;
  private final ForeignTimestamps foreign;
  private final ForeignVotes votes;
  private int attacks;

  private final SeenTransactions seen = new SeenTransactions();
  private boolean over;

  private Stranger(Cluster cluster, Chance chance, long seed) {
    super(cluster.world(), "stranger");
    this.cluster = cluster;
    this.chance = chance;
    this.calls = new RegionCalls(this, cluster.network(), cluster.master());
    this.manager =
        cluster
            .parts()
            .manager(
                new ManagerPort(
                    this,
                    cluster.network(),
                    cluster.coordination(),
                    cluster.managers(),
                    cluster.validators(),
                    cluster.parts()));
    this.own = new OwnStatements(this, cluster, calls, manager, seed);
    this.votes = new ForeignVotes(this, cluster, manager, own, seed);
    this.foreign = new ForeignTimestamps(this, cluster, chance, calls, own);
  }

  /** The one of a run, if it has one; at work from now on. */
  public static Optional<Stranger> of(Cluster cluster, long seed) {
    Chance own = new Chance(seed ^ SALT);
    if (!own.oneIn(ONE_RUN_IN)) {
      return Optional.empty();
    }
    Stranger stranger = new Stranger(cluster, own, seed);
    stranger.goOn();
    return Optional.of(stranger);
  }

  /** Returns true if only a stranger writes the row. */
  public static boolean owns(Bytes row) {
    return row.toUtf8().startsWith(OWN);
  }

  /** Ends all attacks. */
  public void end() {
    over = true;
  }

  private void goOn() {
    after(
        chance.nanosUpTo(cluster.parts().plan().pace().multipliedBy(4)),
        () -> {
          if (!over) {
            attack();
            own.next();
            foreign.send(seen.newest());
            votes.send(seen.newest());
            votes.reserve(seen.newest());
            goOn();
          }
        });
  }

  private void attack() {
    SortedMap<Long, List<RowFamily>> intents = seen.look(cluster.master().servers());
    if (intents.isEmpty()) {
      return;
    }
    long start = chance.pick(List.copyOf(intents.keySet()));
    Bytes row = Bytes.utf8(OWN + attacks++);
    RowFamily leader = Schema.place(row, Schema.F);
    List<RowFamily> victims = intents.getOrDefault(start, List.of());
    long commit = seen.newest();
    boolean commits = commit > start && chance.oneIn(2);
    say(() -> "PLANTS start=" + start + (commits ? " commit=" + commit : " to abort"));
    var unawaited = validate(start);
    assert unawaited != null;
    var unused =
        overwrite(start, victims)
            .thenCompose(refused -> send(row, plant(start, leader, victims)))
            .handle((planted, refused) -> planted)
            .thenCompose(planted -> abortBeside(start, victims.get(0)))
            .handle((aborted, refused) -> aborted)
            .thenCompose(
                aborted ->
                    send(
                        row,
                        commits
                            ? new CommitLeader(
                                start, 0, row, Schema.F, commit, own.pass(guess(start)))
                            : new AbortLeader(start, 0, row, Schema.F, true, Proof.NONE)))
            .handle((decided, refused) -> remember(start, leader, decided))
            .thenCompose(remembered -> look(start))
            .handle((looked, refused) -> looked)
            .thenCompose(looked -> forge(start, commit))
            .handle((forged, refused) -> forged)
            .thenCompose(looked -> heal(start, commits ? commit : 0, leader, victims))
            .handle((healed, refused) -> healed)
            .thenCompose(healed -> judge(start, chance.pick(victims)))
            .handle((judged, refused) -> judged)
            .thenCompose(healed -> decide(start, commits ? commit : 0))
            .handle((decided, refused) -> decided)
            .thenCompose(decided -> finish())
            .exceptionally(refused -> null);
    assert unused != null;
  }

  private @Nullable Void remember(long start, RowFamily leader, @Nullable RegionReply reply) {
    if (reply != null) {
      seen.stated(start, leader, reply.outcomes().get(0));
    }
    return null;
  }

  /** Reads the transaction's own leader. */
  private CompletableFuture<?> look(long start) {
    RowFamily leader = seen.leader(start);
    if (leader == null) {
      return CompletableFuture.completedFuture(null);
    }
    Bytes row = Schema.name(leader);
    LeaderReadRequest request = new LeaderReadRequest(start, 0, leader.family());
    return calls
        .<RegionReply.Outcome>persistently(
            row, (served, answer) -> new RegionReads(served).leader(row, request, answer))
        .thenAccept(outcome -> seen.stated(start, leader, outcome));
  }

  /**
   * Acts as a user with the right to alter a table: removes the observer, puts a commit into the
   * transaction's leader, or a committed follower of it into another row, restores the observer and
   * queries. No other request sees the cell: honest ones would find the leader corrupt.
   */
  private CompletableFuture<?> forge(long start, long commit) {
    RowFamily leader = seen.leader(start);
    if (leader == null || commit <= start) {
      return CompletableFuture.completedFuture(null);
    }
    boolean leads = chance.oneIn(2);
    RowFamily place = leads ? leader : Schema.place(Bytes.utf8(OWN), Schema.F);
    TransactionCell pending =
        leads ? TransactionCell.leader(List.of(), true, 1) : TransactionCell.follower(leader, 1);
    TransactionCell committedCell = pending.withState(TransactionState.COMMITTED, commit);
    TransactionCell forged =
        leads && chance.oneIn(2) ? committedCell.provedBy(own.pass(guess(start))) : committedCell;
    say(() -> "FORGES start=" + start + " commit=" + commit + " leads=" + leads);
    return calls
        .<RegionReply.Outcome>persistently(
            Schema.name(place),
            (served, answer) -> new RegionReads(served).forged(place, start, forged, answer))
        .thenAccept(outcome -> seen.stated(start, leader, outcome));
  }

  /** Claims in a read that the transaction has committed. */
  private CompletableFuture<?> judge(long start, RowFamily victim) {
    long commit = start + Timestamps.TICK;
    if (commit >= seen.newest()) {
      return CompletableFuture.completedFuture(null);
    }
    RowFamily leader = seen.leader(start, victim);
    Fate shown = chance.pick(claims(start, commit, leader)).getValue();
    ReadRequest request =
        new ReadRequest(
            seen.newest(),
            false,
            0,
            SlotSet.NONE,
            Map.of(new TransactionId(start, leader), new Fate(commit, shown.tag())));
    Bytes row = Schema.name(victim);
    return calls.<List<RowView>>persistently(
        row, (served, answer) -> new RegionReads(served).snapshot(List.of(row), request, answer));
  }

  /** Returns claims on a transaction: a forged one, and all that were stated of its leaders. */
  private List<Map.Entry<RowFamily, Fate>> claims(long start, long commit, RowFamily leader) {
    List<Map.Entry<RowFamily, Fate>> claims = new ArrayList<>();
    claims.add(Map.entry(leader, own.fate(new Fate(commit, guess(start)))));
    claims.addAll(seen.fates(start).entrySet());
    return claims;
  }

  /** Ends the transaction on its own leader; 0 = aborts it. */
  private CompletableFuture<?> decide(long start, long commit) {
    RowFamily leader = seen.leader(start);
    if (leader == null) {
      return CompletableFuture.completedFuture(null);
    }
    Proof proof = chance.oneIn(2) ? Proof.NONE : new Proof.Voided(own.voided(guess(start)));
    return send(
        Schema.name(leader),
        commit != 0
            ? new CommitLeader(
                start, 0, leader.row(), leader.family(), commit, own.pass(guess(start)))
            : new AbortLeader(start, 0, leader.row(), leader.family(), chance.oneIn(2), proof));
  }

  /** Makes a committed leader FINAL, whatever the state of its followers. */
  private CompletableFuture<?> finish() {
    List<Long> committed = seen.committed();
    if (committed.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    long start = chance.pick(committed);
    long commit = seen.takeCommit(start);
    RowFamily leader = Objects.requireNonNull(seen.leader(start));
    return send(
        Schema.name(leader),
        new FinishLeader(start, 0, leader.row(), leader.family(), commit, healed(start)));
  }

  private Proof healed(long start) {
    return chance.oneIn(2) ? Proof.NONE : new Proof.Healed(guess(start));
  }

  private Tag guess(long start) {
    return new Tag(start, attacks);
  }

  /**
   * Requests a commit timestamp of the transaction while it is still writing, without its writes.
   */
  private CompletableFuture<?> validate(long start) {
    boolean conditional = chance.oneIn(2);
    Validator.Request request =
        new Validator.Request(
            start, forged(start), chance.oneIn(2), new long[0], new long[0], conditional);
    say(() -> "VALIDATES start=" + start + " conditional=" + conditional);
    return manager.validate(request).handle((answered, refused) -> null);
  }

  /** Puts a value into a row of the transaction, as if the transaction had flushed it. */
  private CompletableFuture<?> overwrite(long start, List<RowFamily> victims) {
    RowFamily victim = chance.pick(victims);
    IntentCell cell =
        new IntentCell(0, IntentKind.PUT, Bytes.utf8("b"), Bytes.utf8("stranger" + attacks));
    FamilyIntents family =
        new FamilyIntents(victim.family(), SlotSet.NONE, Optional.empty(), List.of(cell));
    Flush flush =
        new Flush(
            start,
            0,
            cluster.parts().plan().level(),
            seen.leader(start, victim),
            HIGHEST_FLUSH,
            List.of(new RowIntents(victim.row(), List.of(family))),
            forged(start),
            HIGHEST_FLUSH);
    return send(Schema.name(victim), flush).handle((written, refused) -> null);
  }

  private Grant forged(long start) {
    return new Grant(start, 0, own.secret(guess(start)));
  }

  private Flush plant(long start, RowFamily leader, List<RowFamily> victims) {
    FamilyIntents family =
        new FamilyIntents(
            leader.family(), SlotSet.NONE, Optional.of(new FollowerList(victims, true)), List.of());
    return new Flush(
        start,
        0,
        ConflictLevel.ROW,
        leader,
        1,
        List.of(new RowIntents(leader.row(), List.of(family))),
        forged(start));
  }

  /** One heal a row: each may be refused. */
  private CompletableFuture<?> heal(
      long start, long commit, RowFamily leader, List<RowFamily> victims) {
    List<CompletableFuture<?>> all = new ArrayList<>();
    TreeSet<Bytes> rows = new TreeSet<>();
    victims.forEach(place -> rows.add(Schema.name(place)));
    RowFamily own = seen.leader(start, leader);
    for (Bytes row : rows) {
      Map.Entry<RowFamily, Fate> claim = chance.pick(claims(start, commit, leader));
      // The leader as stated, or replaced by the transaction's own leader.
      RowFamily named = chance.oneIn(2) ? claim.getKey() : own;
      all.add(send(row, new Heal(start, 0, List.of(Schema.key(row)), named, claim.getValue())));
    }
    return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new));
  }

  /** As if a leader that is absent were in the victim's row, in its other family. */
  private CompletableFuture<?> abortBeside(long start, RowFamily victim) {
    Bytes family = victim.family().equals(Schema.F) ? Schema.G : Schema.F;
    return send(
        Schema.name(victim),
        new AbortLeader(start, 0, Schema.key(Schema.name(victim)), family, true, Proof.NONE));
  }

  private CompletableFuture<RegionReply> send(Bytes row, RegionRequest request) {
    return calls.persistently(row, (served, answer) -> served.regular(request, answer));
  }
}
