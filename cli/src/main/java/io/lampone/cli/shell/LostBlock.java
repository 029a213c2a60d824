package io.lampone.cli.shell;

import io.lampone.cli.CommandException;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Rest of a script's block of statements after its transaction could not begin or has ended: its
 * statements fail up to the block's commit or rollback, instead of committing one by one. Only
 * scripts that go on after an error need it.
 */
final class LostBlock {

  private static final Set<String> BEGINNINGS = Set.of("begin", "asof");
  private static final Pattern BEGINNING = Pattern.compile("(?i)(^|[;\n])\\s*(begin|asof)\\b");

  private boolean watching;
  private boolean lost;

  /** Sets whether lost blocks are recognized. */
  void watch(boolean on) {
    watching = on;
    lost = false;
  }

  /** Marks a block whose transaction has ended early. */
  void enter() {
    lost = watching;
  }

  /** Marks a block if {@code failed}, outside a transaction, was to begin one. */
  void enterAfter(Statement failed) {
    if (BEGINNINGS.contains(failed.name())) {
      enter();
    }
  }

  /** Marks a block if {@code text}, which cannot be parsed, seems to begin a transaction. */
  void enterAfter(String text) {
    if (BEGINNING.matcher(text).find()) {
      enter();
    }
  }

  /** Ends the block; returns true if there was one. */
  boolean leave() {
    boolean was = lost;
    lost = false;
    return was;
  }

  /** Fails inside such a block. */
  void require() {
    if (lost) {
      throw new CommandException(
          "its transaction has ended", "nothing is written up to 'commit' or 'rollback'");
    }
  }
}
