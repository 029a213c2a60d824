package io.lampone.benchmarks.tatp;

import io.lampone.benchmarks.oltp.Terminal;
import io.lampone.benchmarks.oltp.Workload;
import io.lampone.benchmarks.tatp.Tatp.Facility;
import io.lampone.client.Transaction;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** Transaction of TATP with its inputs. */
public final class TatpWork implements Workload.Work {

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
    return run(new TatpTables(transaction));
  }

  /** Returns true if {@link #run} carries out a single statement. */
  public boolean isOneStatement() {
    return switch (type) {
      case GET_SUBSCRIBER_DATA, GET_NEW_DESTINATION, GET_ACCESS_DATA, UPDATE_LOCATION -> true;
      case UPDATE_SUBSCRIBER_DATA, INSERT_CALL_FORWARDING, DELETE_CALL_FORWARDING -> false;
    };
  }

  /**
   * Reads and writes. May run several times, each time in a new transaction.
   *
   * @return false if it is to be rolled back, or a row was not found
   */
  public <E extends Exception> boolean run(TatpStatements<E> register) throws E {
    return switch (type) {
      case GET_SUBSCRIBER_DATA -> {
        register.readSubscriber(subscriber);
        yield true;
      }
      case GET_NEW_DESTINATION -> register.isForwarded(facility(subscriber), start, end);
      case GET_ACCESS_DATA -> register.hasAccessInfo(facility(subscriber));
      case UPDATE_SUBSCRIBER_DATA -> {
        register.setBit(subscriber, (int) (value & 1));
        yield register.updateFacility(facility(subscriber), (int) (value & 255));
      }
      case UPDATE_LOCATION -> {
        register.updateLocation(Tatp.number(subscriber), value);
        yield true;
      }
      case INSERT_CALL_FORWARDING -> insertCallForwarding(register);
      case DELETE_CALL_FORWARDING -> deleteCallForwarding(register);
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

  private <E extends Exception> boolean insertCallForwarding(TatpStatements<E> register) throws E {
    Facility called = facility(register.subscriber(Tatp.number(subscriber)));
    if (!register.types(called.subscriber()).contains(facility)
        || register.hasForwarding(called, start)) {
      return false; // no such facility, or the key is taken
    }
    register.insertForwarding(called, start, end, number);
    return true;
  }

  private <E extends Exception> boolean deleteCallForwarding(TatpStatements<E> register) throws E {
    Facility called = facility(register.subscriber(Tatp.number(subscriber)));
    if (!register.hasForwarding(called, start)) {
      return false;
    }
    register.deleteForwarding(called, start);
    return true;
  }

  private Facility facility(int called) {
    return new Facility(called, facility);
  }
}
