package io.lampone.benchmarks.tpcc;

import io.lampone.benchmarks.oltp.Terminal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Random choices by sections 2.1.6 and 4.3.2 of the specification. */
final class TpccRandom {

  private static final List<String> SYLLABLES =
      List.of("BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING");

  /** Last names are three syllables. */
  static final int LAST_NAMES = 1_000;

  private static final int ITEM_A = 8_191;
  private static final int CUSTOMER_A = 1_023;
  private static final int NAME_A = 255;

  /** Constants of the run; that of names while loading is at a permitted distance. */
  private static final int ITEM_C = 3_849;

  private static final int CUSTOMER_C = 457;
  private static final int NAME_C_OF_LOAD = 123;
  private static final int NAME_C_OF_RUN = 208;

  private final Terminal terminal;
  private final Scale scale;

  TpccRandom(Terminal terminal, Scale scale) {
    this.terminal = terminal;
    this.scale = scale;
  }

  int uniform(int low, int high) {
    return terminal.uniform(low, high);
  }

  boolean percent(int often) {
    return terminal.percent(often);
  }

  int warehouse() {
    return uniform(1, scale.warehouses());
  }

  int district() {
    return uniform(1, Scale.DISTRICTS);
  }

  int customer() {
    return terminal.nonUniform(CUSTOMER_A, CUSTOMER_C, 1, scale.customers());
  }

  int item() {
    return terminal.nonUniform(ITEM_A, ITEM_C, 1, scale.items());
  }

  /** Draws a name that a customer of every district has. */
  String lastNameOfRun() {
    int most = Math.min(LAST_NAMES, scale.customers()) - 1;
    return lastName(terminal.nonUniform(NAME_A, NAME_C_OF_RUN, 0, most));
  }

  /** Returns a name: the first thousand customers have all names in turn, others random ones. */
  String lastNameOfLoad(int customer) {
    return lastName(
        customer <= LAST_NAMES
            ? customer - 1
            : terminal.nonUniform(NAME_A, NAME_C_OF_LOAD, 0, LAST_NAMES - 1));
  }

  static String lastName(int number) {
    return SYLLABLES.get(number / 100)
        + SYLLABLES.get(number / 10 % 10)
        + SYLLABLES.get(number % 10);
  }

  String letters(int least, int most) {
    int count = uniform(least, most);
    StringBuilder text = new StringBuilder(count);
    for (int i = 0; i < count; i++) {
      text.append((char) uniform('a', 'z'));
    }
    return text.toString();
  }

  /** Returns a random permutation of the numbers from 1 to this. */
  List<Integer> permutation(int most) {
    List<Integer> numbers = new ArrayList<>();
    for (int i = 1; i <= most; i++) {
      numbers.add(i);
    }
    Collections.shuffle(numbers, new Random(terminal.random().nextLong()));
    return numbers;
  }
}
