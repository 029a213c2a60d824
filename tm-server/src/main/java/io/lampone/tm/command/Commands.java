package io.lampone.tm.command;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/**
 * The commands of a server, by name. Used on the event loop only; a command that takes longer
 * completes later, also on the event loop.
 */
public final class Commands {

  /** Executes a command. */
  @FunctionalInterface
  public interface Handler {

    /**
     * Executes the command; an exception or failure is reported to the sender.
     *
     * @param argument the command's arguments
     * @param sender the sender, which has permission
     * @return the answer, as JSON
     */
    CompletableFuture<String> run(String argument, Sender sender);
  }

  /** Access level of a command. */
  public enum Access {
    /** Any connected client. */
    EVERYBODY,
    /** Any client that may send requests of transactions: commands that it needs for those. */
    CLIENT,
    /** Principals that have proved their identity otherwise than by a token. */
    PROVED,
    /** Administrators. */
    ADMINISTRATOR
  }

  /**
   * Sender of a command.
   *
   * @param name the name of its principal
   * @param proved whether it has proved its name
   * @param byToken whether it acts for the principal by a delegation token
   */
  public record Sender(
      String name, boolean proved, boolean byToken, boolean mayRequest, boolean mayAdminister) {

    private boolean has(Access access) {
      return switch (access) {
        case EVERYBODY -> true;
        case CLIENT -> mayRequest || mayAdminister;
        case PROVED -> proved && !byToken;
        case ADMINISTRATOR -> mayAdminister;
      };
    }
  }

  private record Entry(Access access, Handler handler) {}

  private final Map<String, Entry> entries = new TreeMap<>();

  /** Adds a command. */
  public Commands add(String name, Access access, Handler handler) {
    if (entries.putIfAbsent(name, new Entry(access, handler)) != null) {
      throw new IllegalArgumentException("command exists, name=" + name);
    }
    return this;
  }

  /** Returns true if the command exists. */
  public boolean has(String name) {
    return entries.containsKey(name);
  }

  /** Returns true if the command exists and is audited: administrative, or on tokens. */
  public boolean isAudited(String name) {
    return access(name).filter(access -> access.compareTo(Access.PROVED) >= 0).isPresent();
  }

  /** Returns true if the command exists and the sender may send it. */
  public boolean permits(String name, Sender sender) {
    return access(name).filter(sender::has).isPresent();
  }

  private Optional<Access> access(String name) {
    return Optional.ofNullable(entries.get(name)).map(Entry::access);
  }

  /** Executes a command; the future fails with the message for the sender. */
  public CompletableFuture<String> run(String name, String argument, Sender sender) {
    Optional<Entry> entry = Optional.ofNullable(entries.get(name));
    if (entry.isEmpty()) {
      return refuse("unknown command, name=" + name + " known=" + new TreeSet<>(entries.keySet()));
    }
    if (!permits(name, sender)) {
      return refuse(
          "not permitted: the command needs another role or proof, name="
              + name
              + " needs="
              + entry.get().access());
    }
    try {
      return entry.get().handler().run(argument, sender);
    } catch (IllegalArgumentException | IllegalStateException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private static CompletableFuture<String> refuse(String text) {
    return CompletableFuture.failedFuture(new IllegalArgumentException(text));
  }
}
