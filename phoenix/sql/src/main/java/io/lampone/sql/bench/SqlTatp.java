package io.lampone.sql.bench;

import io.lampone.benchmarks.tatp.Tatp;
import io.lampone.benchmarks.tatp.Tatp.Facility;
import io.lampone.benchmarks.tatp.TatpPopulation;
import io.lampone.benchmarks.tatp.TatpStatements;
import io.lampone.benchmarks.tatp.TatpWork;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** TATP in SQL; subscribers have an index by number. For one thread. */
final class SqlTatp implements TatpStatements<SQLException>, TatpPopulation<SQLException> {

  /** Subscribers that are inserted in one transaction. */
  private static final int BATCH = 100;

  private static final String BY_KEY = " WHERE s_id = ? AND sf_type = ? AND start_time = ?";

  private static final String SUBSCRIBER =
      "SELECT s_id, sub_nbr, bit_1, bits, hex, bytes, msc_location, vlr_location FROM %ssubscriber";

  private final Tatp register;
  private final PreparedStatements statements;

  /**
   * @param connection commits by itself if its transactions are single statements
   * @param register what its transactions are; shared by all terminals
   * @param prefix of the names of its tables
   * @param properties end of each CREATE TABLE
   */
  SqlTatp(Connection connection, Tatp register, String prefix, String properties) {
    this.register = register;
    this.statements = new PreparedStatements(connection, prefix, properties);
  }

  /** Makes the tables and fills them, on a connection that does not commit by itself. */
  void prepare() throws SQLException {
    statements.create(
        "subscriber (s_id BIGINT NOT NULL, sub_nbr VARCHAR, bit_1 BIGINT, bits VARCHAR,"
            + " hex VARCHAR, bytes VARCHAR, msc_location BIGINT, vlr_location BIGINT",
        "s_id");
    statements.create(
        "access_info (s_id BIGINT NOT NULL, ai_type BIGINT NOT NULL, data1 BIGINT, data2 BIGINT,"
            + " data3 VARCHAR, data4 VARCHAR",
        "s_id, ai_type");
    statements.create(
        "special_facility (s_id BIGINT NOT NULL, sf_type BIGINT NOT NULL, is_active BIGINT,"
            + " error_cntrl BIGINT, data_a BIGINT, data_b VARCHAR",
        "s_id, sf_type");
    statements.create(
        "call_forwarding (s_id BIGINT NOT NULL, sf_type BIGINT NOT NULL,"
            + " start_time BIGINT NOT NULL, end_time BIGINT, numberx VARCHAR",
        "s_id, sf_type, start_time");
    statements.execute("CREATE INDEX %sby_number ON %ssubscriber (sub_nbr)");
    register.populate(this);
    statements.end(true);
  }

  @Override
  public void subscriber(int subscriber, String number, Data data, long msc, long vlr)
      throws SQLException {
    statements.update(
        "UPSERT INTO %ssubscriber VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        subscriber, number, data.bit(), data.bits(), data.hex(), data.bytes(), msc, vlr);
    if (subscriber % BATCH == 0) {
      statements.end(true);
    }
  }

  @Override
  public void accessInfo(Facility key, int data1, int data2, String data3, String data4)
      throws SQLException {
    statements.update(
        "UPSERT INTO %saccess_info VALUES (?, ?, ?, ?, ?, ?)",
        key.subscriber(), key.type(), data1, data2, data3, data4);
  }

  @Override
  public void facility(Facility key, int active, int error, int dataA, String dataB)
      throws SQLException {
    statements.update(
        "UPSERT INTO %sspecial_facility VALUES (?, ?, ?, ?, ?, ?)",
        key.subscriber(), key.type(), active, error, dataA, dataB);
  }

  /**
   * Runs a transaction to its end.
   *
   * @return true if it is committed; false if it is rolled back by itself
   */
  boolean run(TatpWork work) throws SQLException {
    boolean commits = work.run(this);
    statements.end(commits);
    if (commits) {
      work.committed();
    }
    return commits;
  }

  @Override
  public void readSubscriber(int subscriber) throws SQLException {
    statements.number(SUBSCRIBER + " WHERE s_id = ?", subscriber);
  }

  @Override
  public boolean hasAccessInfo(Facility key) throws SQLException {
    return statements.exists(
        "SELECT data1, data2, data3, data4 FROM %saccess_info WHERE s_id = ? AND ai_type = ?",
        key.subscriber(), key.type());
  }

  @Override
  public boolean isForwarded(Facility facility, int start, int end) throws SQLException {
    return statements.exists(
        "SELECT f.s_id, f.numberx FROM %sspecial_facility s"
            + " JOIN %scall_forwarding f ON f.s_id = s.s_id AND f.sf_type = s.sf_type"
            + " WHERE s.s_id = ? AND s.sf_type = ? AND s.is_active = 1"
            + " AND f.s_id = ? AND f.sf_type = ? AND f.start_time <= ? AND f.end_time > ?",
        facility.subscriber(), facility.type(), facility.subscriber(), facility.type(), start, end);
  }

  @Override
  public void setBit(int subscriber, int bit) throws SQLException {
    statements.update("UPSERT INTO %ssubscriber (s_id, bit_1) VALUES (?, ?)", subscriber, bit);
  }

  @Override
  public boolean updateFacility(Facility facility, int value) throws SQLException {
    return statements.update(
            "UPSERT INTO %sspecial_facility (s_id, sf_type, data_a)"
                + " SELECT s_id, sf_type, CAST(? AS BIGINT) FROM %sspecial_facility"
                + " WHERE s_id = ? AND sf_type = ?",
            value, facility.subscriber(), facility.type())
        > 0;
  }

  @Override
  public void updateLocation(String number, long location) throws SQLException {
    int updated =
        statements.update(
            "UPSERT INTO %ssubscriber (s_id, vlr_location)"
                + " SELECT s_id, CAST(? AS BIGINT) FROM %ssubscriber WHERE sub_nbr = ?",
            location, number);
    if (updated != 1) {
      throw new SQLException("a row is missing, number=" + number + " updated=" + updated);
    }
  }

  @Override
  public int subscriber(String number) throws SQLException {
    return (int) statements.number("SELECT s_id FROM %ssubscriber WHERE sub_nbr = ?", number);
  }

  @Override
  public Set<Integer> types(int subscriber) throws SQLException {
    return numbers("SELECT sf_type FROM %sspecial_facility WHERE s_id = ?", subscriber);
  }

  @Override
  public boolean hasForwarding(Facility facility, int start) throws SQLException {
    return statements.exists(
        "SELECT end_time FROM %scall_forwarding" + BY_KEY,
        facility.subscriber(),
        facility.type(),
        start);
  }

  @Override
  public void insertForwarding(Facility facility, int start, int end, String number)
      throws SQLException {
    statements.update(
        "UPSERT INTO %scall_forwarding VALUES (?, ?, ?, ?, ?)",
        facility.subscriber(), facility.type(), start, end, number);
  }

  @Override
  public void deleteForwarding(Facility facility, int start) throws SQLException {
    statements.update(
        "DELETE FROM %scall_forwarding" + BY_KEY, facility.subscriber(), facility.type(), start);
  }

  /** Checks the conditions in one snapshot; returns those that do not hold, for people. */
  List<String> violations() throws SQLException {
    List<String> violations =
        register.violations(
            new Tatp.Rows(
                numbers(
                    "SELECT /*+ NO_INDEX */ s_id FROM %ssubscriber WHERE sub_nbr IS NOT NULL"
                        + " AND bit_1 IS NOT NULL AND bits IS NOT NULL AND hex IS NOT NULL"
                        + " AND bytes IS NOT NULL AND msc_location IS NOT NULL"
                        + " AND vlr_location IS NOT NULL"),
                numbers("SELECT \":S_ID\" FROM %sby_number WHERE \"0:SUB_NBR\" IS NOT NULL"),
                Set.copyOf(facilities("SELECT s_id, sf_type FROM %sspecial_facility")),
                facilities("SELECT s_id, sf_type FROM %scall_forwarding")));
    statements.end(true);
    return violations;
  }

  private Set<Integer> numbers(String sql, Object... values) throws SQLException {
    return new HashSet<>(
        statements.rows(sql, 1, values).stream().map(row -> (int) row[0]).toList());
  }

  private List<Facility> facilities(String sql) throws SQLException {
    return statements.rows(sql, 2).stream()
        .map(row -> new Facility((int) row[0], (int) row[1]))
        .toList();
  }
}
