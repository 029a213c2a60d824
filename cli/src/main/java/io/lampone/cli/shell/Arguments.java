package io.lampone.cli.shell;

import io.lampone.cli.CommandException;
import io.lampone.protocol.Bytes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.hbase.TableName;

/**
 * Arguments of one statement, consumed from left to right. Each method fails with the verb's usage
 * if the next argument is not of the expected kind.
 */
final class Arguments {

  private final String usage;
  private final List<Argument> left;

  Arguments(Statement statement, String usage) {
    this.usage = usage;
    this.left = new ArrayList<>(statement.arguments());
  }

  /** Returns the next argument, which must be a word. */
  Bytes word(String what) {
    return optionalWord(what).orElseThrow(() -> wrong(what + " is missing"));
  }

  /** Returns the next argument, which must be a word; empty at the end or before the options. */
  Optional<Bytes> optionalWord(String what) {
    if (left.isEmpty() || left.get(0) instanceof Argument.Options) {
      return Optional.empty();
    }
    return Optional.of(asWord(left.remove(0), what));
  }

  /** Returns the next argument as text. */
  String text(String what) {
    return word(what).toUtf8();
  }

  /** Returns the next argument as the name of a table. */
  TableName table() {
    String name = text("the table's name");
    try {
      return TableName.valueOf(name);
    } catch (IllegalArgumentException e) {
      throw wrong("'" + name + "' cannot be the name of a table: " + e.getMessage());
    }
  }

  /** Returns the next argument as a row key. */
  byte[] row() {
    Bytes row = word("the row");
    if (row.isEmpty()) {
      throw wrong("a row key must not be empty");
    }
    return row.toArray();
  }

  /** Returns the next argument as {@code family:qualifier}. */
  Column column() {
    return Column.parse(word("the column (family:qualifier)"));
  }

  /** Returns the remaining words, up to the options. */
  List<Bytes> words(String what) {
    List<Bytes> words = new ArrayList<>();
    Optional<Bytes> next = optionalWord(what);
    while (next.isPresent()) {
      words.add(next.get());
      next = optionalWord(what);
    }
    return words;
  }

  /** Returns the options at the end, or an empty map. Only {@code known} keys are allowed. */
  Map<String, Argument> options(Collection<String> known) {
    if (left.isEmpty()) {
      return Map.of();
    }
    Argument next = left.remove(0);
    if (!(next instanceof Argument.Options options)) {
      throw wrong("options {...} expected, not " + next.kind());
    }
    for (String key : options.values().keySet()) {
      if (!known.contains(key)) {
        throw wrong("unknown option " + key + "; known: " + String.join(", ", known));
      }
    }
    return options.values();
  }

  /** Fails if arguments remain. */
  void end() {
    if (!left.isEmpty()) {
      Argument next = left.get(0);
      String shown = next instanceof Argument.Word word ? "'" + word.bytes() + "'" : next.kind();
      throw wrong("one argument too many: " + shown);
    }
  }

  /** Returns a list of words; a single word is a list of one. */
  List<Bytes> asWords(Argument argument, String what) {
    if (argument instanceof Argument.Items items) {
      List<Bytes> words = new ArrayList<>();
      items.items().forEach(item -> words.add(asWord(item, what)));
      return words;
    }
    return List.of(asWord(argument, what));
  }

  /** Returns the argument as a word. */
  Bytes asWord(Argument argument, String what) {
    if (argument instanceof Argument.Word word) {
      return word.bytes();
    }
    throw wrong(what + " must be a word, not " + argument.kind());
  }

  /** Parses a number. */
  long asNumber(Bytes word, String what) {
    try {
      return Long.parseLong(word.toUtf8());
    } catch (NumberFormatException e) {
      throw wrong(what + " must be a number, not '" + word + "'");
    }
  }

  /** Parses a number of at least 1. */
  int asCount(Bytes word, String what) {
    long number = asNumber(word, what);
    if (number < 1 || number > Integer.MAX_VALUE) {
      throw wrong(what + " must be in 1.." + Integer.MAX_VALUE + ", not " + number);
    }
    return (int) number;
  }

  /** Parses {@code true} or {@code false}. */
  boolean asFlag(Bytes word, String what) {
    return switch (word.toUtf8().toLowerCase(Locale.ROOT)) {
      case "true" -> true;
      case "false" -> false;
      default -> throw wrong(what + " must be true or false, not '" + word + "'");
    };
  }

  /** Returns the exception for invalid arguments. */
  CommandException wrong(String message) {
    return new CommandException(message, "usage: " + usage);
  }

  /**
   * Column family, or one column of it.
   *
   * @param qualifier empty for the whole family; a qualifier of no bytes is {@code family:}
   */
  record Column(Bytes family, Optional<Bytes> qualifier) {

    /** Splits at the first colon. */
    static Column parse(Bytes text) {
      byte[] bytes = text.toArray();
      int colon = 0;
      while (colon < bytes.length && bytes[colon] != ':') {
        colon++;
      }
      if (colon == 0) {
        throw new CommandException(
            "a column needs a family, column='" + text + "'", "write family:qualifier");
      }
      Bytes family = Bytes.of(bytes, 0, colon);
      return colon == bytes.length
          ? new Column(family, Optional.empty())
          : new Column(family, Optional.of(Bytes.of(bytes, colon + 1, bytes.length - colon - 1)));
    }

    /** Returns the qualifier; fails if there is none. */
    byte[] requireQualifier() {
      return qualifier
          .orElseThrow(
              () ->
                  new CommandException(
                      "a column needs a qualifier, column='" + family + "'",
                      "write " + family + ":qualifier"))
          .toArray();
    }
  }
}
