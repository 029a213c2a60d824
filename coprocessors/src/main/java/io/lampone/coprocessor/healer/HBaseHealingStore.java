package io.lampone.coprocessor.healer;

import io.lampone.coprocessor.core.healing.HealingStore;
import io.lampone.hbase.Carrier;
import io.lampone.hbase.TableSettings;
import io.lampone.hbase.TableSettings.Phase;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.LeaderReadRequest;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.request.RegionRequest.AbortLeader;
import io.lampone.protocol.request.RegionRequest.CommitLeader;
import io.lampone.protocol.request.RegionRequest.FinishLeader;
import io.lampone.protocol.request.RegionRequest.Heal;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.time.RareLine;
import io.lampone.protocol.tm.StatusSource.Status;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.InspectionPass;
import io.lampone.protocol.trust.KeyRing;
import io.lampone.protocol.trust.Proof;
import io.lampone.protocol.trust.Proofs;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Leaders and followers, accessed through a {@link HealerConnection}. Every request carries the
 * floor that this server knows [M3].
 */
final class HBaseHealingStore implements HealingStore, AutoCloseable {

  /** Maximum number of rows per request. */
  private static final int MAX_ROWS = 1_000;

  /** Maximum number of cells of a row per result of a search. */
  private static final int MAX_CELLS = 200;

  /** Holder named in the healer's own inspection passes. */
  private static final String HEALER = "healer";

  private static final Logger LOG = LoggerFactory.getLogger(HBaseHealingStore.class);

  private final HealerConnection connection;
  private final LongSupplier floor;
  private final Proofs proofs;
  private final Clock clock;
  private final RareLine droppedLine;

  HBaseHealingStore(Configuration server, LongSupplier floor, KeyRing ring, Clock clock) {
    this(new HealerConnection(server), floor, ring, clock);
  }

  /** Creates a store on another connection. */
  HBaseHealingStore(HealerConnection connection, LongSupplier floor, KeyRing ring, Clock clock) {
    this.clock = clock;
    this.droppedLine = new RareLine(clock);
    this.connection = connection;
    this.floor = floor;
    this.proofs = new Proofs(ring);
  }

  @Override
  public Outcome read(long start, RowFamily place) throws IOException {
    LeaderReadRequest request = new LeaderReadRequest(start, floor.getAsLong(), place.family());
    try {
      return first(
          connection.await(
              connection.table(place.table()).get(Carrier.leaderGet(place.row(), request))));
    } catch (IOException e) {
      if (missesFamily(e)) {
        return Outcome.NOTHING;
      }
      absentIfDropped(place.table(), e);
      throw goneWithItsTable(new TransactionId(start, place), e);
    }
  }

  @Override
  public Outcome commitLeader(TransactionId id, Status.Passed passed) throws IOException {
    RowFamily leader = id.leader();
    CommitLeader request =
        new CommitLeader(
            id.startTimestamp(),
            floor.getAsLong(),
            leader.row(),
            leader.family(),
            passed.commitTimestamp(),
            passed.proof());
    try {
      return write(leader.table(), request);
    } catch (IOException e) {
      return missesFamily(e) ? Outcome.NOTHING : absentIfDropped(leader.table(), e);
    }
  }

  @Override
  public Outcome abortLeader(TransactionId id, boolean plant, Proof proof) throws IOException {
    RowFamily leader = id.leader();
    try {
      return write(
          leader.table(),
          new AbortLeader(
              id.startTimestamp(), floor.getAsLong(), leader.row(), leader.family(), plant, proof));
    } catch (IOException e) {
      if (plant
          && HealerConnection.refusal(e)
              .filter(r -> r.code() == Refusal.Code.BELOW_SAFE_POINT)
              .isPresent()) {
        throw new AbsentForGoodException(leader, "the transaction began below the safe point", e);
      }
      // Where an abort may be planted, the transaction never passes. So it cannot commit later
      // either, in a family that is made again under the same name.
      Outcome absent = missesFamily(e) ? Outcome.NOTHING : absentIfDropped(leader.table(), e);
      if (plant) {
        throw goneWithItsTable(id, e);
      }
      return absent;
    }
  }

  @Override
  public boolean isClosedTo(TransactionId id) throws IOException {
    Result answer =
        connection.await(connection.table(id.leader().table()).get(Carrier.describeGet()));
    return TableSettings.of(Carrier.described(answer))
        .filter(table -> table.phase() == Phase.CHANGING || id.startTimestamp() < table.floor())
        .isPresent();
  }

  private AbsentForGoodException goneWithItsTable(TransactionId id, IOException failure) {
    tellDropped(id);
    return new AbsentForGoodException(
        id.leader(), "its table or family has been dropped, or made plain", failure);
  }

  /**
   * Returns "no leader" for a table that has been dropped or made plain. HBase's client reports
   * "not found" for any table without a region for the row; so the table's own entry is read.
   *
   * @throws IOException the failure, if the table exists or its existence is unknown
   */
  private Outcome absentIfDropped(String table, IOException failure) throws IOException {
    if (!holdsNothing(TableName.valueOf(table), failure)) {
      throw failure;
    }
    return Outcome.NOTHING;
  }

  private boolean holdsNothing(TableName table, IOException failure) throws IOException {
    if (HealerConnection.has(failure, TableNotFoundException.class)) {
      return !connection.await(connection.admin().tableExists(table));
    }
    return isUnanswered(failure)
        && TableSettings.isPlain(connection.await(connection.admin().getDescriptor(table)));
  }

  /** Returns true if the region has no such family, and therefore no leader in it. */
  private static boolean missesFamily(IOException failure) {
    return HealerConnection.has(failure, NoSuchColumnFamilyException.class)
        && !String.valueOf(failure.getMessage()).contains(Reserved.PROOF_FAMILY.toUtf8());
  }

  /** Returns true if a server without our code on the table has answered, as for a plain table. */
  private static boolean isUnanswered(IOException failure) {
    return HealerConnection.has(failure, NoSuchColumnFamilyException.class)
        || HealerConnection.has(failure, MalformedException.class);
  }

  private void tellDropped(TransactionId id) {
    droppedLine
        .happened()
        .ifPresent(
            times ->
                LOG.warn(
                    "The table or family of a commit entry has been dropped, or made plain: what this"
                        + " transaction has written elsewhere, and had not been told of a commit,"
                        + " is aborted, table={} leader={} transaction={} times={}",
                    id.leader().table(),
                    id.leader(),
                    id.startTimestamp(),
                    times));
  }

  @Override
  public void finishLeader(TransactionId id, long commitTimestamp) throws IOException {
    RowFamily leader = id.leader();
    write(
        leader.table(),
        new FinishLeader(
            id.startTimestamp(),
            floor.getAsLong(),
            leader.row(),
            leader.family(),
            commitTimestamp,
            new Proof.Healed(proofs.healed(id.startTimestamp(), commitTimestamp))));
  }

  @Override
  public void heal(TransactionId id, Collection<RowFamily> followers, long commitTimestamp)
      throws IOException {
    Map<String, TreeSet<Bytes>> tables = new TreeMap<>();
    for (RowFamily place : followers) {
      tables.computeIfAbsent(place.table(), t -> new TreeSet<>()).add(place.row());
    }
    for (Map.Entry<String, TreeSet<Bytes>> rows : tables.entrySet()) {
      try {
        for (List<Bytes> part : byRegion(rows.getKey(), rows.getValue())) {
          heal(rows.getKey(), id, part, commitTimestamp);
        }
      } catch (IOException e) {
        absentIfDropped(rows.getKey(), e); // then no cell needs it
      }
    }
  }

  @Override
  public Set<TransactionId> healEverywhere(Map<TransactionId, Long> commits) throws IOException {
    EverywhereHeal search = new EverywhereHeal(commits);
    for (TableDescriptor table : connection.await(connection.admin().listTableDescriptors())) {
      if (TableSettings.of(table).isPresent()) {
        search(table, search);
      }
    }
    return search.healed();
  }

  /** Searches region by region: an inspection pass is checked wherever a scan opens a region. */
  private void search(TableDescriptor table, EverywhereHeal search) throws IOException {
    byte[] start = HConstants.EMPTY_START_ROW;
    do {
      byte[] end = endOfRegion(table.getTableName().getNameAsString(), start);
      search(table, new Scan().withStartRow(start).withStopRow(end), search);
      start = end;
    } while (start.length > 0);
  }

  /** HBase skips the files without anything from these ticks; the rest is read once. */
  private void search(TableDescriptor table, Scan scan, EverywhereHeal search) throws IOException {
    scan.readAllVersions().setCacheBlocks(false).setCaching(MAX_ROWS).setBatch(MAX_CELLS);
    long expires = clock.wallMillis() + InspectionPass.LONGEST.toMillis();
    scan.setTimeRange(search.minStart(), search.maxStart() + 1)
        .setAttribute(
            TableSettings.INSPECTION_ATTRIBUTE,
            proofs.inspection(HEALER, expires).encode().toArray());
    for (byte[] family : table.getColumnFamilyNames()) {
      scan.addColumn(family, Reserved.TRANSACTION.toArray());
    }
    // A region without our code has no such family; our code removes it.
    scan.addFamily(Reserved.PROOF_FAMILY.toArray());
    String name = table.getTableName().getNameAsString();
    try (ResultScanner scanner = connection.table(name).getScanner(scan)) {
      for (Result row = scanner.next(); row != null; row = scanner.next()) {
        for (Cell cell : row.rawCells()) {
          search.look(name, cell);
        }
        if (search.found() >= MAX_ROWS) {
          search.heal(this::heal);
        }
      }
    }
    search.heal(this::heal);
  }

  @Override
  public void close() {
    connection.close();
  }

  /**
   * Heals rows in one request. If the region was split, or one of the rows is no follower of this
   * transaction, heals them row by row.
   */
  private void heal(String table, TransactionId id, List<Bytes> rows, long commitTimestamp)
      throws IOException {
    try {
      write(
          table,
          new Heal(
              id.startTimestamp(),
              floor.getAsLong(),
              rows,
              id.leader(),
              new Fate(commitTimestamp, proofs.fate(id, commitTimestamp))));
    } catch (IOException e) {
      Optional<Refusal.Code> code = HealerConnection.refusal(e).map(Refusal::code);
      boolean foreign = code.equals(Optional.of(Refusal.Code.NOT_ITS_LEADER));
      boolean split = code.equals(Optional.of(Refusal.Code.WRONG_REGION));
      if (rows.size() > 1 && (foreign || split)) {
        for (Bytes row : rows) {
          heal(table, id, List.of(row), commitTimestamp);
        }
      } else if (!foreign) {
        throw e;
      }
    }
  }

  /** Groups rows by region, as far as locations are known. */
  private List<List<Bytes>> byRegion(String table, TreeSet<Bytes> rows) throws IOException {
    List<List<Bytes>> parts = new ArrayList<>();
    List<Bytes> part = new ArrayList<>();
    byte[] end = {};
    for (Bytes row : rows) {
      boolean inside =
          !part.isEmpty()
              && part.size() < MAX_ROWS
              && (end.length == 0 || Arrays.compareUnsigned(row.toArray(), end) < 0);
      if (!inside) {
        part = new ArrayList<>();
        parts.add(part);
        end = endOfRegion(table, row.toArray());
      }
      part.add(row);
    }
    return parts;
  }

  private byte[] endOfRegion(String table, byte[] row) throws IOException {
    return connection
        .await(connection.locator(table).getRegionLocation(row))
        .getRegion()
        .getEndKey();
  }

  private Outcome write(String table, RegionRequest request) throws IOException {
    CheckAndMutateResult result =
        connection.await(connection.table(table).checkAndMutate(Carrier.checkAndMutate(request)));
    Result reply = result.getResult();
    if (reply == null) {
      throw new IOException("the server that answered lacks the coprocessor, table=" + table);
    }
    return first(reply);
  }

  private static Outcome first(Result result) throws IOException {
    try {
      return Carrier.reply(result).outcomes().get(0);
    } catch (MalformedException e) {
      throw new IOException("the server that answered lacks the coprocessor", e);
    }
  }
}
