package io.lampone.simulation;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.RegionReply;
import io.lampone.protocol.RegionRequest;
import io.lampone.protocol.RegionRequest.AbortLeader;
import io.lampone.protocol.RegionRequest.CommitLeader;
import io.lampone.protocol.RegionRequest.FamilyIntents;
import io.lampone.protocol.RegionRequest.Flush;
import io.lampone.protocol.RegionRequest.FollowerList;
import io.lampone.protocol.RegionRequest.Heal;
import io.lampone.protocol.RegionRequest.RowIntents;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionState;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/**
 * A hostile client, which may write rows of its own and read all others. It sees the start
 * timestamps of honest transactions, puts leaders with them into its own rows, which list the
 * honest ones' rows as followers, decides them as it likes, and sends heals. Nothing of that must
 * reach the rows of others: there all invariants hold.
 */
final class Stranger extends Machine {

  /** One run of so many has one. What it draws it draws for itself: other runs are as without. */
  private static final int ONE_RUN_IN = 4;

  private static final long SALT = 0x5bd1e9955bd1e995L;

  /** Honest rows are never called so; they lie within the second region. */
  private static final String OWN = "h";

  private final Cluster cluster;
  private final Chance chance;
  private final RegionCalls calls;
  private int attacks;

  /**
   * The newest timestamp in any transaction cell: it has been issued. A timestamp that has not been
   * would move the clocks of region servers, against which there is no defence yet.
   */
  private long newestSeen;

  private boolean over;

  private Stranger(Cluster cluster, Chance chance) {
    super(cluster.world(), "stranger");
    this.cluster = cluster;
    this.chance = chance;
    this.calls = new RegionCalls(this, cluster.network(), cluster.master());
  }

  /** The one of a run, if it has one; at work from now on. */
  static Optional<Stranger> of(Cluster cluster, long seed) {
    Chance own = new Chance(seed ^ SALT);
    if (!own.oneIn(ONE_RUN_IN)) {
      return Optional.empty();
    }
    Stranger stranger = new Stranger(cluster, own);
    stranger.goOn();
    return Optional.of(stranger);
  }

  /** Whether only a stranger writes the row. */
  static boolean owns(Bytes row) {
    return row.toUtf8().startsWith(OWN);
  }

  /** From now on it does nothing any more. */
  void end() {
    over = true;
  }

  private void goOn() {
    after(
        chance.nanosUpTo(cluster.parts().plan().pace().multipliedBy(4)),
        () -> {
          if (!over) {
            attack();
            goOn();
          }
        });
  }

  private void attack() {
    SortedMap<Long, List<RowFamily>> intents = intents();
    if (intents.isEmpty()) {
      return;
    }
    long start = chance.pick(List.copyOf(intents.keySet()));
    Bytes row = Bytes.utf8(OWN + attacks++);
    RowFamily leader = Schema.place(row, Schema.F);
    List<RowFamily> victims = intents.getOrDefault(start, List.of());
    long commit = newestSeen;
    boolean commits = commit > start && chance.oneIn(2);
    say(() -> "PLANTS start=" + start + (commits ? " commit=" + commit : " to abort"));
    var unused =
        send(row, plant(start, leader, victims))
            .thenCompose(
                planted ->
                    send(
                        row,
                        commits
                            ? new CommitLeader(start, 0, row, Schema.F, commit)
                            : new AbortLeader(start, 0, row, Schema.F, true)))
            .thenCompose(decided -> heal(start, commits ? commit : 0, leader, victims))
            .exceptionally(refused -> null);
    assert unused != null;
  }

  /** The rows in which a transaction has undecided intents, as whoever may read them sees. */
  private SortedMap<Long, List<RowFamily>> intents() {
    SortedMap<Long, List<RowFamily>> found = new TreeMap<>();
    for (RegionServer server : cluster.master().servers()) {
      for (ServedRegion region : server.regions()) {
        region.eachRow(
            (row, cells) -> {
              for (Bytes family : Schema.FAMILIES) {
                cells
                    .column(family, Reserved.TRANSACTION)
                    .forEach(
                        (version, value) -> {
                          if (!Timestamps.isGlobal(version)) {
                            return;
                          }
                          TransactionCell cell =
                              TransactionCell.decode(value.bytes().unsafeArray());
                          newestSeen =
                              Math.max(newestSeen, Math.max(version, cell.commitTimestamp()));
                          if (!owns(row) && cell.state() == TransactionState.PENDING) {
                            found
                                .computeIfAbsent(version, v -> new ArrayList<>())
                                .add(Schema.place(row, family));
                          }
                        });
              }
            });
      }
    }
    return found;
  }

  private static Flush plant(long start, RowFamily leader, List<RowFamily> victims) {
    FamilyIntents family =
        new FamilyIntents(
            leader.family(), SlotSet.NONE, Optional.of(new FollowerList(victims, true)), List.of());
    return new Flush(
        start,
        0,
        ConflictLevel.ROW,
        leader,
        1,
        List.of(new RowIntents(leader.row(), List.of(family))));
  }

  /** One heal a row: each may be refused. */
  private CompletableFuture<?> heal(
      long start, long commit, RowFamily leader, List<RowFamily> victims) {
    List<CompletableFuture<?>> all = new ArrayList<>();
    TreeSet<Bytes> rows = new TreeSet<>();
    victims.forEach(place -> rows.add(Schema.name(place)));
    for (Bytes row : rows) {
      all.add(send(row, new Heal(start, 0, List.of(Schema.key(row)), commit, leader)));
    }
    return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new));
  }

  private CompletableFuture<RegionReply> send(Bytes row, RegionRequest request) {
    return calls.persistently(row, (served, answer) -> served.regular(request, answer));
  }
}
