package io.lampone.coprocessor.core.intent;

import static io.lampone.coprocessor.core.FastServer.t;
import static io.lampone.coprocessor.core.intent.MemoryRow.F;
import static io.lampone.coprocessor.core.intent.MemoryRow.G;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.coprocessor.Fates;
import io.lampone.coprocessor.core.OpenGuards;
import io.lampone.coprocessor.core.clock.LocalVersionClock;
import io.lampone.coprocessor.core.clock.RecentVersions;
import io.lampone.coprocessor.core.fastpath.WriteBlockers;
import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.Refusal.Code;
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
import io.lampone.protocol.request.RegionRequest.Settle;
import io.lampone.protocol.trust.Grant;
import io.lampone.protocol.trust.Proof;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.trust.Tag;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a server that remembers its rows decides is what one decides that reads them each time. */
class KnownRowsTest {

  private static final Grant OWN = Proofs.OPEN.grant(t(1), 0);
  private static final long SEED = Long.getLong("lampone.test.seed", 20_261_122);
  private static final int SCHEDULES = 300;
  private static final int STEPS = 300;

  private static final List<Bytes> COLUMNS = List.of(Bytes.utf8("q"), Bytes.utf8("q2"));
  private static final RowFamily LEADER = new RowFamily("t", MemoryRow.ROW, F);

  private final LocalVersionClock clock = new LocalVersionClock();
  private final KnownRows all = new KnownRows();
  private final OpenGuards guards = new OpenGuards();
  private KnownRows.OfRegion known = all.regionOpened(new RecentVersions());
  private ConflictLevel level = ConflictLevel.ROW;

  private final MemoryRow row = new MemoryRow();

  @Test
  void aRowThatIsWrittenAgainIsNotRead() throws Exception {
    write(row, 1, 2);
    row.shown = 0;
    write(row, 3, 4);
    assertThat(row.shown).isZero();
    assertThat(row.transactionCell(F, t(3)).state()).isEqualTo(TransactionState.FINAL);
  }

  @Test
  void whoBeganBeforeACommitMeetsIt() throws Exception {
    write(row, 1, 4);
    refused(Code.CONFLICT, flush(3, 1));
    write(row, 5, 6);
  }

  @Test
  void whoBeganBeforeADrawMeetsIt() throws Exception { // E6, E8
    write(row, 1, 2);
    row.put(F, COLUMNS.get(1), t(4) + 200, Bytes.utf8("at birth"));
    known.drawn(row.key(), t(4) + 200);
    refused(Code.CONFLICT, flush(3, 1));
    write(row, 5, 6);
  }

  @Test
  void aRepetitionOfAFlushThatWasRolledBackIsWritten() throws Exception { // R1
    write(row, 1, 2);
    Flush flush = flush(3, 1);
    decide(flush, false);
    assertThat(run(flush).outcome().applied()).isTrue();
    assertThat(run(flush).outcome().applied()).isFalse();
  }

  @Test
  void whoWasAbortedBeforeItsIntentsCameIsRefused() throws Exception { // A5
    write(row, 1, 2);
    run(new AbortLeader(t(3), 0, row.key(), F, true, OWN));
    refused(Code.ABORTED, flush(3, 1));
  }

  @Test
  void whoWasAbortedIsRefusedAlsoWhenAnotherHasWrittenSince() throws Exception {
    run(flush(3, 1));
    run(flush(5, 1));
    run(new AbortLeader(t(3), 0, row.key(), F, false, OWN));
    refused(Code.ABORTED, flush(3, 2));
  }

  @Test
  void whatWasSearchedAtAnotherFloorOfTheTableDoesNotCount() { // R4
    known.remember(row.key(), new RowKnowledge(t(0), t(1), t(1), 0, 0, new OwnCells(Map.of())));
    assertThat(known.of(row.key(), t(0))).isNotNull();
    assertThat(known.of(row.key(), t(1))).isNull();
  }

  @Test
  void largeCellsAreNotKept() throws Exception {
    List<RowFamily> many = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      many.add(new RowFamily("t", Bytes.utf8("follower" + i), F));
    }
    run(flush(1, 1, Optional.of(new FollowerList(many, true))));
    RowKnowledge knowledge = known.of(row.key(), t(0));
    assertThat(knowledge.own(t(1))).isNull();
    assertThat(knowledge.own(t(2)).byFamily()).isEmpty();
    run(new CommitLeader(t(1), 0, row.key(), F, t(2), Tag.NONE));
    assertThat(row.transactionCell(F, t(1)).followers()).hasSize(100);
  }

  @Test
  void ofSeveralFlushesTheCellsOfAllFamiliesCount() throws Exception {
    List<RowFamily> many = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      many.add(new RowFamily("t", Bytes.utf8("follower" + i), F));
    }
    run(flush(1, 1, Optional.of(new FollowerList(many, true))));
    IntentCell cell = new IntentCell(0, IntentKind.PUT, COLUMNS.get(0), Bytes.utf8("v"));
    FamilyIntents small = new FamilyIntents(G, SlotSet.NONE, Optional.empty(), List.of(cell));
    List<RowIntents> intents = List.of(new RowIntents(row.key(), List.of(small)));
    run(new Flush(t(1), 0, level, LEADER, 2, intents, OWN));
    assertThat(known.of(row.key(), t(0)).own(t(1))).isNull();
  }

  /** Until the failed write is in view, who reads the row misses it, and would remember that. */
  @Test
  void afterAWriteThatFailedNothingIsRememberedUntilTheRegionOpensAgain() throws Exception {
    write(row, 1, 2);
    AbortLeader plant = new AbortLeader(t(9), 0, row.key(), F, true, OWN);
    RegularWrite write = write(plant, known);
    List<RowDecision> stored = write.decide(List.of(row)); // and HBase has let go of the lock
    run(flush(7, 1));
    write.failed();
    row.apply(stored.get(0));
    refused(Code.ABORTED, flush(9, 1));
    known = all.regionOpened(RowBoundsTest.openedAt(t(10)));
    run(flush(11, 1));
    assertThat(known.of(row.key(), t(0))).isNotNull();
  }

  /** One schedule for each seed; all of the traffic of a few transactions, some of it twice. */
  @ParameterizedTest
  @EnumSource(ConflictLevel.class)
  void inRandomSchedulesItDecidesAsWhoReads(ConflictLevel tested) throws Exception {
    level = tested;
    long reads = 0;
    long readsWithout = 0;
    int requests = 0;
    for (int i = 0; i < SCHEDULES; i++) {
      Schedule schedule = new Schedule(SEED + i);
      try {
        schedule.run();
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("-Dlampone.test.seed=" + (SEED + i) + " level=" + level, e);
      }
      reads += schedule.reads;
      readsWithout += schedule.readsWithout;
      requests += schedule.requests;
    }
    System.out.printf(
        "KnownRowsTest: -Dlampone.test.seed=%d level=%s requests=%d cellsRead=%d without=%d%n",
        SEED, level, requests, reads, readsWithout);
    assertThat(requests).isGreaterThan(SCHEDULES * STEPS / 3);
    // At level CELL a flush searches its columns; only the transaction's own cells are known.
    assertThat(reads).isLessThan(level == ConflictLevel.ROW ? readsWithout * 3 / 4 : readsWithout);
  }

  /** A transaction as its client and the transaction manager know it. */
  private static final class Client {
    final long start;
    final List<MemoryRow> rows;
    final Bytes column;
    final Set<Bytes> acknowledged = new TreeSet<>();
    final Set<Bytes> healed = new TreeSet<>();
    long flushes;
    boolean decided;
    long commit;

    Client(long start, List<MemoryRow> rows, Bytes column) {
      this.start = start;
      this.rows = rows;
      this.column = column;
    }

    RowFamily leader() {
      return new RowFamily("t", rows.get(0).key(), F);
    }
  }

  private final class Schedule {

    private final Random random;
    private final Map<Bytes, MemoryRow> rows = new LinkedHashMap<>();
    private final List<Client> clients = new ArrayList<>();
    private final List<RegionRequest> underWay = new ArrayList<>();

    /** By conflict unit: the newest commit timestamp that has been validated. */
    private final Map<List<Bytes>, Long> validated = new HashMap<>();

    private final Set<RegionRequest> delivered = Collections.newSetFromMap(new IdentityHashMap<>());

    private final KnownRows few = new KnownRows(2); // entries are replaced all the time
    private int now = 1;
    private long reads;
    private long readsWithout;
    private int requests;

    Schedule(long seed) {
      random = new Random(seed);
      known = few.regionOpened(RowBoundsTest.openedAt(t(now)));
      for (String key : List.of("a", "b", "c")) {
        rows.put(Bytes.utf8(key), new MemoryRow(Bytes.utf8(key)));
      }
    }

    void run() throws IOException {
      for (int i = 0; i < STEPS; i++) {
        switch (random.nextInt(14)) {
          case 0, 1 -> begin();
          case 2 -> someone().ifPresent(this::flushAgain);
          case 3, 4 -> someone().ifPresent(this::decide);
          case 5 -> someone().ifPresent(this::abort);
          case 6 -> birth();
          case 7 -> {
            if (random.nextInt(8) == 0) {
              known = few.regionOpened(RowBoundsTest.openedAt(t(++now)));
            }
          }
          default -> deliver();
        }
      }
    }

    private Optional<Client> someone() {
      return clients.isEmpty()
          ? Optional.empty()
          : Optional.of(clients.get(Math.max(0, clients.size() - 1 - random.nextInt(4))));
    }

    private void begin() {
      List<MemoryRow> chosen = new ArrayList<>(rows.values());
      java.util.Collections.shuffle(chosen, random);
      Client client =
          new Client(
              t(++now),
              chosen.subList(0, 1 + random.nextInt(2)),
              COLUMNS.get(random.nextInt(COLUMNS.size())));
      clients.add(client);
      flushAgain(client);
    }

    private void flushAgain(Client client) {
      if (!client.decided) {
        client.flushes++;
        client.acknowledged.clear();
        for (MemoryRow written : client.rows) {
          IntentCell cell =
              new IntentCell(
                  0, IntentKind.PUT, client.column, Bytes.utf8("value" + client.flushes));
          List<FamilyIntents> intents = new ArrayList<>();
          intents.add(new FamilyIntents(F, SlotSet.NONE, Optional.empty(), List.of(cell)));
          if (random.nextInt(4) == 0) {
            intents.add(new FamilyIntents(G, SlotSet.NONE, Optional.empty(), List.of(cell)));
          }
          underWay.add(
              new Flush(
                  client.start,
                  0,
                  level,
                  client.leader(),
                  client.flushes,
                  List.of(new RowIntents(written.key(), intents)),
                  OWN));
        }
      }
    }

    /** The commit request, once all intents are there. */
    private void decide(Client client) {
      if (client.decided || client.acknowledged.size() < client.rows.size()) {
        return;
      }
      client.decided = true;
      boolean passes =
          client.rows.stream()
              .allMatch(r -> validated.getOrDefault(unit(r, client), 0L) < client.start);
      if (passes) {
        client.commit = t(++now);
        client.rows.forEach(r -> validated.put(unit(r, client), client.commit));
        underWay.add(
            new CommitLeader(
                client.start, 0, client.rows.get(0).key(), F, client.commit, Tag.NONE));
      } else {
        underWay.add(new AbortLeader(client.start, 0, client.rows.get(0).key(), F, false, OWN));
      }
    }

    private List<Bytes> unit(MemoryRow of, Client client) {
      return level == ConflictLevel.ROW ? List.of(of.key()) : List.of(of.key(), client.column);
    }

    /** Somebody in whose way it is. */
    private void abort(Client client) {
      if (!client.decided && random.nextInt(2) == 0) {
        client.decided = true;
        underWay.add(
            new AbortLeader(
                client.start, 0, client.rows.get(0).key(), F, random.nextBoolean(), OWN));
      }
    }

    /** A write of the fast path, which waits for intents. */
    private void birth() throws IOException {
      MemoryRow written =
          rows.values().stream().skip(random.nextInt(rows.size())).findFirst().get();
      WriteBlockers blockers =
          new WriteBlockers(
              written, "t", ConflictLevel.ROW, t(0), new SettledRows(2).regionOpened());
      blockers.findIntents(List.of());
      if (blockers.intent() == null) {
        long version = t(++now) + 200;
        known.drawn(written.key(), version);
        if (random.nextInt(4) != 0) { // else it was rolled back
          written.put(F, COLUMNS.get(random.nextInt(2)), version, Bytes.utf8("at birth"));
        }
      }
    }

    private void deliver() throws IOException {
      if (underWay.isEmpty()) {
        return;
      }
      int index = random.nextInt(underWay.size());
      RegionRequest request = underWay.get(index);
      if (random.nextInt(4) != 0) {
        underWay.remove(index);
      }
      requests++;
      List<MemoryRow> addressed = request.rows().stream().map(rows::get).toList();
      List<RowDecision> decisions = decideTwice(request, addressed);
      boolean isRolledBack = decisions == null || random.nextInt(6) == 0;
      if (isRolledBack) {
        return;
      }
      for (int i = 0; i < addressed.size(); i++) {
        addressed.get(i).apply(decisions.get(i));
      }
      if (random.nextInt(8) == 0) {
        return; // stored, and neither the sender nor the memory is told
      }
      lastWrite.applied();
      clients.stream()
          .filter(c -> c.start == request.startTimestamp())
          .forEach(client -> answered(client, request, decisions.get(0)));
    }

    private RegularWrite lastWrite;

    /** Null if it was refused. */
    private List<RowDecision> decideTwice(RegionRequest request, List<MemoryRow> addressed)
        throws IOException {
      int before = shown();
      Object blind =
          decision(request, addressed, new KnownRows().regionOpened(new RecentVersions()));
      int between = shown();
      Object told = decision(request, addressed, known);
      if (delivered.add(request)) { // a duplicate is searched for a winner in any case
        readsWithout += between - before;
        reads += shown() - between;
      }
      assertThat(told).as("request=%s", request).isEqualTo(blind);
      return told instanceof List<?> ? decided : null;
    }

    private List<RowDecision> decided;

    private Object decision(
        RegionRequest request, List<MemoryRow> addressed, KnownRows.OfRegion memory)
        throws IOException {
      lastWrite = write(request, memory);
      try {
        decided = lastWrite.decide(addressed);
        return decided.stream().map(d -> List.of(d.outcome(), d.writes())).toList();
      } catch (Refused e) {
        return e.refusal();
      }
    }

    private int shown() {
      return rows.values().stream().mapToInt(r -> r.shown).sum();
    }

    private void answered(Client client, RegionRequest request, RowDecision decision) {
      Bytes leader = client.rows.get(0).key();
      if (request instanceof Flush flush && flush.flushNumber() == client.flushes) {
        client.acknowledged.addAll(request.rows());
      } else if (request instanceof CommitLeader && decision.outcome().state().isPresent()) {
        List<Bytes> followers = client.rows.stream().map(MemoryRow::key).toList();
        Heal heal = Fates.heal(client.start, 0, followers, client.commit, client.leader());
        underWay.add(random.nextBoolean() ? heal : new Settle(0, List.of(heal)));
      } else if (request instanceof Heal && client.commit != 0) {
        client.healed.addAll(request.rows());
        FinishLeader finish =
            new FinishLeader(client.start, 0, leader, F, client.commit, Proof.NONE);
        underWay.add(random.nextBoolean() ? finish : new Settle(0, List.of(finish, request)));
      } else if (request instanceof AbortLeader
          && decision.outcome().is(TransactionState.ABORTED)) {
        underWay.add(
            Fates.heal(
                client.start,
                0,
                client.rows.stream().map(MemoryRow::key).toList(),
                0,
                client.leader()));
      }
    }
  }

  private void write(MemoryRow written, int start, int commit) throws Exception {
    run(flush(start, 1));
    run(new CommitLeader(t(start), 0, written.key(), F, t(commit), Tag.NONE));
    run(new FinishLeader(t(start), 0, written.key(), F, t(commit), Proof.NONE));
  }

  private Flush flush(int start, long number) {
    return flush(start, number, Optional.empty());
  }

  private Flush flush(int start, long number, Optional<FollowerList> followers) {
    IntentCell cell = new IntentCell(0, IntentKind.PUT, COLUMNS.get(0), Bytes.utf8("v"));
    FamilyIntents family = new FamilyIntents(F, SlotSet.NONE, followers, List.of(cell));
    return new Flush(
        t(start),
        0,
        level,
        LEADER,
        number,
        List.of(new RowIntents(row.key(), List.of(family))),
        OWN);
  }

  private RowDecision run(RegionRequest request) throws IOException {
    return decide(request, true);
  }

  private RowDecision decide(RegionRequest request, boolean holds) throws IOException {
    RegularWrite write = write(request, known);
    RowDecision decision = write.decide(List.of(row)).get(0);
    if (holds) {
      row.apply(decision);
      write.applied();
    }
    return decision;
  }

  private void refused(Code code, RegionRequest request) {
    assertThatThrownBy(() -> run(request))
        .isInstanceOfSatisfying(Refused.class, e -> assertThat(e.refusal().code()).isEqualTo(code));
  }

  private RegularWrite write(RegionRequest request, KnownRows.OfRegion memory) {
    RecentVersions recent = new RecentVersions();
    return new RegularWrite(
        request,
        new TableRules("t", level, t(0), 1 << 20),
        new RegularWrite.Setting(guards, clock, recent, new SettledRows(2).regionOpened(), memory));
  }
}
