package io.lampone.faultlab.fault;

import io.lampone.faultlab.event.AttackTally;
import io.lampone.hbase.Carrier;
import io.lampone.hbase.RefusalException;
import io.lampone.hbase.TableSettings;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.CertifyRequest;
import io.lampone.protocol.request.FastCondition.Place;
import io.lampone.protocol.request.OneRegionCommit;
import io.lampone.protocol.request.ReadRequest;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.request.RegionRequest.AbortLeader;
import io.lampone.protocol.request.RegionRequest.CommitLeader;
import io.lampone.protocol.request.RegionRequest.FamilyIntents;
import io.lampone.protocol.request.RegionRequest.FinishLeader;
import io.lampone.protocol.request.RegionRequest.Flush;
import io.lampone.protocol.request.RegionRequest.Heal;
import io.lampone.protocol.request.RegionRequest.IntentCell;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import io.lampone.protocol.request.RegionRequest.RowIntents;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.Grant;
import io.lampone.protocol.trust.InspectionPass;
import io.lampone.protocol.trust.IssueProof;
import io.lampone.protocol.trust.Proof;
import io.lampone.protocol.trust.Tag;
import io.lampone.tmclient.TransactionManagerClient;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;

/**
 * An untrusted client with all rights on the tables. It reads start timestamps and leaders from the
 * intents of others, and sends requests in their names with proofs that are forged or belong to its
 * own transactions: validations, writes, commits, heals, finishes, judgments, timestamps of the
 * future, certifications; and writes that bypass Lampone as if it maintained the table. In its own
 * tables it forges a commit that bypasses Lampone, see {@link ForgedCommit}, and it floods the
 * transaction manager, see {@link Flood}. A request that must be refused and is carried out is a
 * breach.
 */
final class HostileClient {

  private static final int ROWS = 50;
  private static final int REMEMBERED = 500;
  private static final int BEGINS = 100;

  /** Number of attacks in a row, before it looks for intents again. */
  private static final int ATTACKS = 4;

  private static final long PAUSE_MILLIS = 5;
  private static final long END_SECONDS = 20;
  private static final Duration FORGER_BOUND = Duration.ofSeconds(150);

  /** For a forged commit on a slow machine; less than the end of all faults may take. */
  private static final long FORGED_SECONDS = 60;

  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final Bytes QUALIFIER = Bytes.utf8("hostile");

  private final Connection connection;
  private final List<TableName> tables;
  private final TransactionManagerClient manager;
  private final Random random;
  private final List<Intent> seen = new ArrayList<>();
  private final AttackTally tally = new AttackTally();

  /** True if no other fault may keep an attack from a server. */
  private final boolean alone;

  private final CountDownLatch stop = new CountDownLatch(1);
  private final Thread thread = new Thread(this::run, "hostile");
  private final Flood flood;
  private final ForgedCommit forgedCommit;

  /** Grant of one of its own transactions. */
  private volatile Optional<Grant> own = Optional.empty();

  /** Decision of the transaction manager on another client's transaction; empty if none. */
  private volatile String decided = "";

  /** True once its thread has ended as asked. */
  private volatile boolean ended;

  /** Requests sent; of the hostile thread until it has ended, like the breach. */
  private long attacks;

  private Optional<Object> breach = Optional.empty();

  /** An undecided intent of another client. */
  private record Intent(RowFamily place, long start, RowFamily leader) {}

  HostileClient(
      Connection connection,
      List<TableName> tables,
      TransactionManagerClient manager,
      Flood flood,
      int seed,
      boolean alone) {
    this.alone = alone;
    this.connection = connection;
    this.tables = List.copyOf(tables);
    this.manager = manager;
    this.flood = flood;
    this.random = new Random(seed);
    this.forgedCommit = new ForgedCommit(connection, random.nextInt(1 << 30), tally);
  }

  void start() {
    thread.setDaemon(true);
    thread.start();
    forgedCommit.start();
    flood.start();
  }

  /**
   * Ends it.
   *
   * @throws IllegalStateException if a request was carried out that must be refused
   * @throws FaultNotAppliedException if it met no intent, or alone did not reach a server with each
   *     kind of attack
   */
  void stop() throws InterruptedException, FaultNotAppliedException {
    // The attacks go on meanwhile, so that on a slow machine each kind has its turn.
    Optional<String> forged =
        forgedCommit.await(Duration.ofSeconds(alone ? FORGED_SECONDS : END_SECONDS));
    stop.countDown();
    thread.join(TimeUnit.SECONDS.toMillis(END_SECONDS));
    if (manager.statistics().connections() > 1) {
      tally.answered(AttackTally.MANAGER);
    }
    manager.close();
    flood.end();
    if (thread.isAlive()) {
      throw new IllegalStateException("the hostile client does not end");
    }
    if (forged.isPresent()) {
      throw new IllegalStateException(forged.get());
    }
    requireNoBreach();
    flood.requireNoBreach();
    if (!ended) {
      throw new FaultNotAppliedException("the hostile client has ended by an error of its own");
    }
    if (attacks == 0) {
      throw new FaultNotAppliedException("no undecided intent was met");
    }
    if (alone && !tally.missing().isEmpty()) {
      throw new FaultNotAppliedException("no server was reached by attacks=" + tally.missing());
    }
  }

  /** Waits until its own tables are gone; returns a breach that was found too late. */
  Optional<String> awaitForger() throws InterruptedException {
    return forgedCommit.await(FORGER_BOUND);
  }

  private void requireNoBreach() {
    if (!decided.isEmpty()) {
      throw new IllegalStateException(
          InjectedFault.BREACH + ": decided for a client without a grant, answer=" + decided);
    }
    if (breach.isPresent()) {
      throw new IllegalStateException(
          InjectedFault.BREACH
              + ": carried out for a client without a proof, request="
              + breach.get());
    }
  }

  private void run() {
    try {
      while (!stop.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS) && breach.isEmpty()) {
        try {
          look(tables.get(random.nextInt(tables.size())));
          for (int i = 0; i < ATTACKS && !seen.isEmpty() && breach.isEmpty(); i++) {
            attack(seen.get(random.nextInt(seen.size())));
          }
        } catch (IOException e) {
          // Refused, or another fault is in the way.
        }
      }
      ended = true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void look(TableName name) throws IOException {
    Scan scan =
        new Scan()
            .withStartRow(new byte[] {(byte) ('0' + random.nextInt(10))})
            .setLimit(ROWS)
            .readAllVersions();
    scan.setAttribute(TableSettings.INSPECTION_ATTRIBUTE, InspectionPass.none());
    try (Table table = connection.getTable(name);
        ResultScanner scanner = table.getScanner(scan)) {
      for (Result row : scanner) {
        for (Cell cell : row.rawCells()) {
          remember(name, cell);
        }
      }
    }
  }

  private void remember(TableName table, Cell cell) {
    if (!CellUtil.matchingQualifier(cell, Reserved.TRANSACTION.toArray())) {
      return;
    }
    TransactionCell stored;
    try {
      stored = TransactionCell.decode(CellUtil.cloneValue(cell));
    } catch (MalformedException e) {
      return;
    }
    if (stored.state() == TransactionState.PENDING) {
      RowFamily place =
          new RowFamily(
              table.getNameAsString(),
              Bytes.wrap(CellUtil.cloneRow(cell)),
              Bytes.wrap(CellUtil.cloneFamily(cell)));
      Intent intent = new Intent(place, cell.getTimestamp(), stored.leader().orElse(place));
      if (seen.size() < REMEMBERED) {
        seen.add(intent);
      } else {
        seen.set(random.nextInt(REMEMBERED), intent);
      }
    }
  }

  private void attack(Intent intent) throws IOException {
    String kind = AttackTally.kind(attacks++);
    if (kind.equals(AttackTally.MANAGER)) {
      attackManager(intent);
      return;
    }
    try {
      attack(kind, intent);
      tally.answered(kind);
    } catch (IOException e) {
      if (RefusalException.in(e).isEmpty()) {
        throw e; // another fault is in the way
      }
      tally.answered(kind);
    }
  }

  private void attack(String kind, Intent intent) throws IOException {
    RowFamily place = intent.place();
    RowFamily leader = intent.leader();
    long start = intent.start();
    long commit = start + Timestamps.TICK;
    Bytes row = leader.row();
    Bytes family = leader.family();
    ConflictLevel level = ConflictLevel.ROW;
    switch (kind) {
      case "commit" -> send(leader, new CommitLeader(start, 0, row, family, commit, guess()));
      case "finish" -> send(leader, new FinishLeader(start, 0, row, family, commit, grant(start)));
      case "heal-committed" ->
          send(place, new Heal(start, 0, List.of(place.row()), leader, fate(commit)));
      case "heal-aborted" -> send(place, new Heal(start, 0, List.of(place.row()), leader, fate(0)));
      case "flush" ->
          send(
              place,
              new Flush(start, 0, level, leader, 1 << 20, intents(place), grant(start), commit));
      case "one-region" ->
          send(place, new OneRegionCommit(start, 0, 0, level, false, intents(place), grant(start)));
      case "abort" -> send(leader, new AbortLeader(start, 0, row, family, false, Proof.NONE));
      case "maintain" -> maintain(place);
      case "certify" -> certify(place, start);
      default -> read(intent, commit);
    }
  }

  /** Writes as maintenance, which bypasses all rules: a breach while no table is being changed. */
  private void maintain(RowFamily place) throws IOException {
    Put put =
        new Put(place.row().toArray())
            .addColumn(place.family().toArray(), QUALIFIER.toArray(), new byte[] {1});
    put.setAttribute(TableSettings.MAINTENANCE_ATTRIBUTE, new byte[] {1});
    try (Table table = connection.getTable(TableName.valueOf(place.table()))) {
      table.put(put);
    }
    breach = Optional.of(put);
  }

  /** At a timestamp of the near future, so that the server's clock would follow. */
  private void certify(RowFamily place, long start) throws IOException {
    long commit = start + Timestamps.TICK + Timestamps.tick(random.nextLong(10 * SECOND));
    Get get = new Get(place.row().toArray()).addFamily(place.family().toArray());
    get.setAttribute(
        ReadRequest.ATTRIBUTE,
        new CertifyRequest(
                start, commit, 0, ConflictLevel.ROW, new IssueProof.Passed(start, commit, guess()))
            .encode());
    try (Table table = connection.getTable(TableName.valueOf(place.table()))) {
      table.get(get);
    }
  }

  private void send(RowFamily place, RegionRequest request) throws IOException {
    Place column =
        Carrier.columnOf(request).orElse(Place.column(place.family(), Reserved.TRANSACTION));
    boolean carriedOut;
    try (Table table = connection.getTable(TableName.valueOf(place.table()))) {
      carriedOut = table.checkAndMutate(Carrier.checkAndMutate(request, column)).isSuccess();
    }
    // Another client's old transaction may be aborted; a plain table carries out no requests.
    if (carriedOut && !(request instanceof AbortLeader)) {
      breach = Optional.of(request);
    }
  }

  /** Claims that the transaction has committed, at a snapshot of the near future. */
  private void read(Intent intent, long commit) throws IOException {
    RowFamily place = intent.place();
    long snapshot = intent.start() + Timestamps.tick(random.nextLong(10 * SECOND));
    Map<TransactionId, Fate> judgments =
        Map.of(new TransactionId(intent.start(), intent.leader()), fate(commit));
    Get get = new Get(place.row().toArray()).addFamily(place.family().toArray());
    get.setAttribute(
        ReadRequest.ATTRIBUTE,
        new ReadRequest(snapshot, false, 0, SlotSet.NONE, judgments).encode());
    try (Table table = connection.getTable(TableName.valueOf(place.table()))) {
      table.get(get);
    }
  }

  private void attackManager(Intent intent) {
    long[] hashes = random.longs(16).toArray();
    // The server closes this client's connection; it resumes on the next one.
    manager
        .validate(
            new Validator.Request(
                intent.start(), grant(intent.start()), true, hashes, hashes, random.nextBoolean()))
        .thenAccept(this::answered);
    for (int i = 0; i < BEGINS; i++) {
      manager.begin().thenAccept(begun -> own = Optional.of(begun.grant()));
    }
  }

  private void answered(Validation validation) {
    if (!(validation instanceof Validation.Refused)) {
      decided = validation.toString();
    }
  }

  private static List<RowIntents> intents(RowFamily place) {
    IntentCell cell = new IntentCell(0, IntentKind.PUT, QUALIFIER, Bytes.utf8("hostile"));
    return List.of(
        new RowIntents(
            place.row(),
            List.of(
                new FamilyIntents(place.family(), SlotSet.NONE, Optional.empty(), List.of(cell)))));
  }

  private Fate fate(long commit) {
    return new Fate(commit, guess());
  }

  private Grant grant(long start) {
    Optional<Grant> mine = own;
    if (mine.isPresent() && random.nextBoolean()) {
      Grant real = mine.get();
      return random.nextBoolean() ? real : new Grant(start, real.span(), real.secret());
    }
    return new Grant(start, random.nextInt(4), guess());
  }

  private Tag guess() {
    return random.nextInt(4) == 0 ? Tag.NONE : new Tag(random.nextLong(), random.nextLong());
  }
}
