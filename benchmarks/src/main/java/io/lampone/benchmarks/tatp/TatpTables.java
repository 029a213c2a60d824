package io.lampone.benchmarks.tatp;

import static io.lampone.benchmarks.oltp.OltpRow.key;
import static io.lampone.benchmarks.oltp.OltpRow.put;
import static io.lampone.benchmarks.oltp.OltpRow.set;

import io.lampone.benchmarks.oltp.Loader;
import io.lampone.benchmarks.oltp.OltpRow;
import io.lampone.benchmarks.tatp.Tatp.Facility;
import io.lampone.client.Transaction;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;

/** TATP's statements on tables of HBase. */
record TatpTables(Transaction transaction) implements TatpStatements<IOException> {

  private static final TableName SUBSCRIBER = TableName.valueOf("tatp-subscriber");
  private static final TableName SUBSCRIBER_BY_NUMBER = TableName.valueOf("tatp-subscriber-nbr");
  private static final TableName ACCESS_INFO = TableName.valueOf("tatp-access-info");
  private static final TableName SPECIAL_FACILITY = TableName.valueOf("tatp-special-facility");
  private static final TableName CALL_FORWARDING = TableName.valueOf("tatp-call-forwarding");

  private static final List<String> COLUMNS =
      List.of("sub_nbr", "bit_1", "bits", "hex", "bytes", "msc_location", "vlr_location");

  static List<TableName> all() {
    return List.of(
        SUBSCRIBER, SUBSCRIBER_BY_NUMBER, ACCESS_INFO, SPECIAL_FACILITY, CALL_FORWARDING);
  }

  /** Rows of plain tables. */
  record Filling(Loader loader) implements TatpPopulation<IOException> {

    @Override
    public void subscriber(int subscriber, String number, Data data, long msc, long vlr)
        throws IOException {
      Put row = put(key(subscriber));
      set(row, "sub_nbr", number);
      set(row, "bit_1", data.bit());
      set(row, "bits", data.bits());
      set(row, "hex", data.hex());
      set(row, "bytes", data.bytes());
      set(row, "msc_location", msc);
      set(row, "vlr_location", vlr);
      loader.write(SUBSCRIBER, row);
      loader.write(SUBSCRIBER_BY_NUMBER, set(put(key(new byte[0], number)), "s_id", subscriber));
    }

    @Override
    public void accessInfo(Facility key, int data1, int data2, String data3, String data4)
        throws IOException {
      Put info = put(rowOf(key));
      set(info, "data1", data1);
      set(info, "data2", data2);
      set(info, "data3", data3);
      loader.write(ACCESS_INFO, set(info, "data4", data4));
    }

    @Override
    public void facility(Facility key, int active, int error, int dataA, String dataB)
        throws IOException {
      Put facility = put(rowOf(key));
      set(facility, "is_active", active);
      set(facility, "error_cntrl", error);
      set(facility, "data_a", dataA);
      loader.write(SPECIAL_FACILITY, set(facility, "data_b", dataB));
    }

    @Override
    public void insertForwarding(Facility facility, int start, int end, String number)
        throws IOException {
      loader.write(CALL_FORWARDING, forwarding(facility, start, end, number));
    }
  }

  private static byte[] rowOf(Facility facility) {
    return key(facility.subscriber(), facility.type());
  }

  private static byte[] rowOf(Facility facility, int start) {
    return key(facility.subscriber(), facility.type(), start);
  }

  private static Put forwarding(Facility facility, int start, int end, String number) {
    Put row = put(rowOf(facility, start));
    set(row, "end_time", end);
    return set(row, "numberx", number);
  }

  @Override
  public void readSubscriber(int subscriber) throws IOException {
    OltpRow.require(transaction, SUBSCRIBER, key(subscriber));
  }

  @Override
  public boolean hasAccessInfo(Facility key) throws IOException {
    return OltpRow.read(transaction, ACCESS_INFO, rowOf(key)).isPresent();
  }

  @Override
  public boolean isForwarded(Facility facility, int start, int end) throws IOException {
    Optional<OltpRow> found = OltpRow.read(transaction, SPECIAL_FACILITY, rowOf(facility));
    if (found.isEmpty() || found.get().number("is_active") == 0) {
      return false;
    }
    return rows(CALL_FORWARDING, OltpRow.scan(rowOf(facility))).stream()
        .anyMatch(row -> row.keyNumber(2) <= start && end < row.number("end_time"));
  }

  @Override
  public void setBit(int subscriber, int bit) throws IOException {
    transaction.table(SUBSCRIBER).put(set(put(key(subscriber)), "bit_1", bit));
  }

  @Override
  public boolean updateFacility(Facility facility, int value) throws IOException {
    if (OltpRow.read(transaction, SPECIAL_FACILITY, rowOf(facility)).isEmpty()) {
      return false;
    }
    transaction.table(SPECIAL_FACILITY).put(set(put(rowOf(facility)), "data_a", value));
    return true;
  }

  @Override
  public void updateLocation(String number, long location) throws IOException {
    int called = subscriber(number);
    transaction.table(SUBSCRIBER).put(set(put(key(called)), "vlr_location", location));
  }

  @Override
  public int subscriber(String number) throws IOException {
    return (int)
        OltpRow.require(transaction, SUBSCRIBER_BY_NUMBER, key(new byte[0], number)).number("s_id");
  }

  @Override
  public Set<Integer> types(int subscriber) throws IOException {
    return rows(SPECIAL_FACILITY, OltpRow.scan(key(subscriber))).stream()
        .map(row -> row.keyNumber(1))
        .collect(Collectors.toSet());
  }

  @Override
  public boolean hasForwarding(Facility facility, int start) throws IOException {
    return OltpRow.read(transaction, CALL_FORWARDING, rowOf(facility, start)).isPresent();
  }

  @Override
  public void insertForwarding(Facility facility, int start, int end, String number)
      throws IOException {
    transaction.table(CALL_FORWARDING).put(forwarding(facility, start, end, number));
  }

  @Override
  public void deleteForwarding(Facility facility, int start) throws IOException {
    transaction.table(CALL_FORWARDING).delete(OltpRow.delete(rowOf(facility, start)));
  }

  /** Reads all rows that conditions are about. */
  Tatp.Rows rows() throws IOException {
    Set<Integer> subscribers = new HashSet<>();
    for (OltpRow row : rows(SUBSCRIBER, new Scan())) {
      if (COLUMNS.stream().allMatch(row::has)) {
        subscribers.add(row.keyNumber(0));
      }
    }
    Set<Integer> byNumber = new HashSet<>();
    for (OltpRow row : rows(SUBSCRIBER_BY_NUMBER, new Scan())) {
      byNumber.add((int) row.number("s_id"));
    }
    return new Tatp.Rows(
        subscribers,
        byNumber,
        Set.copyOf(facilities(SPECIAL_FACILITY)),
        facilities(CALL_FORWARDING));
  }

  private List<Facility> facilities(TableName table) throws IOException {
    return rows(table, new Scan()).stream()
        .map(row -> new Facility(row.keyNumber(0), row.keyNumber(1)))
        .toList();
  }

  private List<OltpRow> rows(TableName table, Scan scan) throws IOException {
    List<OltpRow> rows = new ArrayList<>();
    try (ResultScanner scanner = transaction.table(table).getScanner(scan)) {
      for (Result row : scanner) {
        rows.add(OltpRow.of(row));
      }
    }
    return rows;
  }
}
