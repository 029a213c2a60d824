package io.lampone.benchmarks.tatp;

import static io.lampone.benchmarks.oltp.OltpRow.key;
import static io.lampone.benchmarks.oltp.OltpRow.put;
import static io.lampone.benchmarks.oltp.OltpRow.set;

import io.lampone.benchmarks.oltp.OltpRow;
import io.lampone.benchmarks.oltp.Terminal;
import io.lampone.benchmarks.oltp.Workload;
import io.lampone.client.Transaction;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;

/** Transaction of TATP with its inputs. */
final class TatpWork implements Workload.Work {

  /** Types, each with its share in percent (section 2.3 of the description). */
  private enum Type {
    GET_SUBSCRIBER_DATA(35),
    GET_NEW_DESTINATION(10),
    GET_ACCESS_DATA(35),
    UPDATE_SUBSCRIBER_DATA(2),
    UPDATE_LOCATION(14),
    INSERT_CALL_FORWARDING(2),
    DELETE_CALL_FORWARDING(2);

    private final int percent;

    Type(int percent) {
      this.percent = percent;
    }

    static Type choose(Terminal terminal) {
      int left = terminal.uniform(1, 100);
      for (Type type : values()) {
        left -= type.percent;
        if (left <= 0) {
          return type;
        }
      }
      throw new IllegalStateException("shares are not a hundred in sum");
    }
  }

  /** Constant of the non-uniform choice, by the number of subscribers (section 2.2). */
  private static final int NON_UNIFORM_UP_TO_A_MILLION = 65_535;

  private static final int NON_UNIFORM_UP_TO_TEN_MILLION = 1_048_575;
  private static final int MILLION = 1_000_000;

  private final Type type;
  private final int subscriber;
  private final int facility;
  private final int start;
  private final int end;
  private final long value;
  private final String number;
  private final LongAdder forwardings;

  private TatpWork(Terminal terminal, int subscribers, LongAdder forwardings) {
    this.type = Type.choose(terminal);
    int a = subscribers <= MILLION ? NON_UNIFORM_UP_TO_A_MILLION : NON_UNIFORM_UP_TO_TEN_MILLION;
    this.subscriber = terminal.nonUniform(a, 0, 1, subscribers);
    this.facility = terminal.uniform(1, Tatp.TYPES);
    this.start = terminal.uniform(0, Tatp.START_TIMES - 1) * Tatp.HOURS_BETWEEN;
    this.end = terminal.uniform(1, 24);
    this.value = terminal.uniform(0, Integer.MAX_VALUE - 1);
    this.number = Tatp.digits(terminal, 15, 9);
    this.forwardings = forwardings;
  }

  static TatpWork choose(Terminal terminal, int subscribers, LongAdder forwardings) {
    return new TatpWork(terminal, subscribers, forwardings);
  }

  static List<String> types() {
    return Arrays.stream(Type.values()).map(Type::name).toList();
  }

  @Override
  public String type() {
    return type.name();
  }

  @Override
  public boolean run(Transaction transaction) throws IOException {
    return switch (type) {
      case GET_SUBSCRIBER_DATA -> {
        OltpRow.require(transaction, Tatp.SUBSCRIBER, key(subscriber));
        yield true;
      }
      case GET_NEW_DESTINATION -> getNewDestination(transaction);
      case GET_ACCESS_DATA ->
          OltpRow.read(transaction, Tatp.ACCESS_INFO, key(subscriber, facility)).isPresent();
      case UPDATE_SUBSCRIBER_DATA -> updateSubscriberData(transaction);
      case UPDATE_LOCATION -> updateLocation(transaction);
      case INSERT_CALL_FORWARDING -> insertCallForwarding(transaction);
      case DELETE_CALL_FORWARDING -> deleteCallForwarding(transaction);
    };
  }

  @Override
  public void committed() {
    switch (type) {
      case INSERT_CALL_FORWARDING -> forwardings.increment();
      case DELETE_CALL_FORWARDING -> forwardings.decrement();
      default -> {}
    }
  }

  private boolean getNewDestination(Transaction transaction) throws IOException {
    Optional<OltpRow> found =
        OltpRow.read(transaction, Tatp.SPECIAL_FACILITY, key(subscriber, facility));
    if (found.isEmpty() || found.get().number("is_active") == 0) {
      return false;
    }
    boolean forwarded = false;
    try (ResultScanner rows =
        transaction
            .table(Tatp.CALL_FORWARDING)
            .getScanner(OltpRow.scan(key(subscriber, facility)))) {
      for (Result result : rows) {
        OltpRow row = OltpRow.of(result);
        forwarded |= row.keyNumber(2) <= start && end < row.number("end_time");
      }
    }
    return forwarded;
  }

  /** Writes the subscriber first, as in the description, and checks the facility afterwards. */
  private boolean updateSubscriberData(Transaction transaction) throws IOException {
    transaction.table(Tatp.SUBSCRIBER).put(set(put(key(subscriber)), "bit_1", value & 1));
    if (OltpRow.read(transaction, Tatp.SPECIAL_FACILITY, key(subscriber, facility)).isEmpty()) {
      return false;
    }
    transaction
        .table(Tatp.SPECIAL_FACILITY)
        .put(set(put(key(subscriber, facility)), "data_a", value & 255));
    return true;
  }

  private boolean updateLocation(Transaction transaction) throws IOException {
    int called = byNumber(transaction);
    transaction.table(Tatp.SUBSCRIBER).put(set(put(key(called)), "vlr_location", value));
    return true;
  }

  private boolean insertCallForwarding(Transaction transaction) throws IOException {
    int called = byNumber(transaction);
    boolean found = false;
    try (ResultScanner facilities =
        transaction.table(Tatp.SPECIAL_FACILITY).getScanner(OltpRow.scan(key(called)))) {
      for (Result result : facilities) {
        found |= OltpRow.of(result).keyNumber(1) == facility;
      }
    }
    byte[] row = key(called, facility, start);
    if (!found || OltpRow.read(transaction, Tatp.CALL_FORWARDING, row).isPresent()) {
      return false; // no such facility, or the key is taken
    }
    transaction
        .table(Tatp.CALL_FORWARDING)
        .put(Tatp.forwarding(called, facility, start, end, number));
    return true;
  }

  private boolean deleteCallForwarding(Transaction transaction) throws IOException {
    byte[] row = key(byNumber(transaction), facility, start);
    if (OltpRow.read(transaction, Tatp.CALL_FORWARDING, row).isEmpty()) {
      return false;
    }
    transaction.table(Tatp.CALL_FORWARDING).delete(OltpRow.delete(row));
    return true;
  }

  private int byNumber(Transaction transaction) throws IOException {
    return (int)
        OltpRow.require(
                transaction, Tatp.SUBSCRIBER_BY_NUMBER, key(new byte[0], Tatp.number(subscriber)))
            .number("s_id");
  }
}
