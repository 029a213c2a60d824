package io.lampone.tm.command;

import io.lampone.protocol.tm.Member;
import io.lampone.tm.command.Commands.Access;
import io.lampone.tm.core.ManagerNode;
import io.lampone.tm.core.Members;
import io.lampone.tm.core.transfer.TransferFailedException;
import io.lampone.tm.core.transfer.TransferLink;
import io.lampone.tm.core.transfer.TransferResult;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Planned changes of the primary:
 *
 * <pre>
 *   handover [address=HOST:PORT]   to that backup, or to the first one that accepts
 *   drain [force=true]             this process must not be primary any more: hands over first if it
 *                                  is; without a backup only if forced
 * </pre>
 */
public final class HandOverCommands {

  private static final String ADDRESS = "address";
  private static final String FORCE = "force";

  /** Without ZooKeeper no hand-over is possible, so a longer wait is useless. */
  private static final Duration LIST_PATIENCE = Duration.ofSeconds(2);

  /**
   * Maximum attempts of a hand-over over all backups, unless there are more backups: each has one.
   * A slow backup has another one, because it has warmed up.
   */
  private static final int MAX_ATTEMPTS = 3;

  /** Undisturbed time of the primary between two attempts with the same backup. */
  private static final Duration RECOVERY = Duration.ofMillis(300);

  private final ManagerNode node;
  private final Members members;
  private final TransferLink.Connector connector;
  private final Executor loop;

  /** The last requested hand-over, ended or not. */
  private CompletableFuture<TransferResult> asked =
      CompletableFuture.failedFuture(new IllegalStateException("no hand-over has been requested"));

  /** Creates the commands; all methods must be called on {@code loop}. */
  public HandOverCommands(
      ManagerNode node, Members members, TransferLink.Connector connector, Executor loop) {
    this.node = node;
    this.members = members;
    this.connector = connector;
    this.loop = loop;
  }

  /** Registers these commands. */
  public void addTo(Commands commands) {
    commands
        .add("handover", Access.ADMINISTRATOR, this::handOverCommand)
        .add("drain", Access.ADMINISTRATOR, this::drainCommand);
  }

  /**
   * Hands over to the backup at {@code address}, or to the first one that accepts.
   *
   * @return a future that fails with {@link TransferFailedException} if none does
   */
  public CompletableFuture<TransferResult> handOver(Optional<String> address) {
    CompletableFuture<TransferResult> begun = begin(address);
    if (asked.isDone()) {
      asked = begun;
    }
    return begun;
  }

  /** Waits for the hand-over under way; hands over if there is none, or if it fails. */
  public CompletableFuture<TransferResult> handOverOrWait() {
    return asked
        .handleAsync(
            (report, failure) ->
                failure == null
                    ? CompletableFuture.completedFuture(report)
                    : handOver(Optional.empty()),
            loop)
        .thenCompose(result -> result);
  }

  private CompletableFuture<TransferResult> begin(Optional<String> address) {
    if (node.leading().isEmpty()) {
      return CompletableFuture.failedFuture(
          new IllegalStateException(
              "not the primary; ask the primary to hand over, see status for its address"));
    }
    return members
        .list()
        .orTimeout(LIST_PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
        .handleAsync(
            (present, failure) ->
                failure == null
                    ? handOver(present, address)
                    : CompletableFuture.<TransferResult>failedFuture(failure),
            loop) // also after a failure: dependent actions write to the loop's connections
        .thenCompose(result -> result);
  }

  private CompletableFuture<TransferResult> handOver(
      List<Member> present, Optional<String> address) {
    String mine = node.status().holder();
    Deque<Member> candidates = new ArrayDeque<>();
    for (Member member : present) {
      boolean wanted = address.map(member.address()::equals).orElse(true);
      if (wanted && !member.holder().equals(mine)) {
        candidates.add(member);
      }
    }
    if (candidates.isEmpty()) {
      return CompletableFuture.failedFuture(
          new IllegalStateException(
              "not handed over: no such backup is registered; start one, or name one of these,"
                  + " members="
                  + present.stream().map(Member::address).toList()));
    }
    return attempt(candidates, new HashSet<>(), 1);
  }

  /**
   * Tries the candidates in order; one that was merely too slow is retried after all others.
   *
   * @param tried the holders that have had an attempt
   */
  private CompletableFuture<TransferResult> attempt(
      Deque<Member> candidates, Set<String> tried, int number) {
    Member next = candidates.remove();
    tried.add(next.holder());
    return node.handOver(next.holder(), next.address(), connector)
        .handleAsync(
            (report, failure) -> {
              if (failure == null) {
                return CompletableFuture.completedFuture(report.afterAttempts(number));
              }
              boolean alone = candidates.isEmpty();
              if (isPassing(failure)) {
                candidates.add(next);
              }
              if (number >= MAX_ATTEMPTS) {
                candidates.removeIf(member -> tried.contains(member.holder()));
              }
              if (candidates.isEmpty() || node.leading().isEmpty()) {
                return CompletableFuture.<TransferResult>failedFuture(counted(failure, number));
              }
              return alone
                  ? later(candidates, tried, number + 1)
                  : attempt(candidates, tried, number + 1);
            },
            loop)
        .thenCompose(result -> result);
  }

  private CompletableFuture<TransferResult> later(
      Deque<Member> candidates, Set<String> tried, int number) {
    Executor afterwards =
        CompletableFuture.delayedExecutor(RECOVERY.toMillis(), TimeUnit.MILLISECONDS, loop);
    return CompletableFuture.supplyAsync(() -> attempt(candidates, tried, number), afterwards)
        .thenCompose(result -> result);
  }

  private static boolean isPassing(Throwable failure) {
    return cause(failure) instanceof TransferFailedException failed && failed.isPassing();
  }

  private static Throwable counted(Throwable failure, int attempts) {
    return cause(failure) instanceof TransferFailedException failed
        ? new TransferFailedException(
            failed.getMessage() + " attempts=" + attempts, failed.isPassing())
        : failure;
  }

  private CompletableFuture<String> handOverCommand(String argument, Commands.Sender sender) {
    CommandArguments arguments = CommandArguments.parse(argument, List.of(ADDRESS));
    return handOver(arguments.find(ADDRESS)).thenApply(HandOverCommands::json);
  }

  private CompletableFuture<String> drainCommand(String argument, Commands.Sender sender) {
    CommandArguments arguments = CommandArguments.parse(argument, List.of(FORCE));
    boolean forced = arguments.find(FORCE).map(Boolean::parseBoolean).orElse(false);
    if (!node.status().role().equals("primary")) {
      node.drain();
      return CompletableFuture.completedFuture(drained());
    }
    return handOver(Optional.empty())
        .thenApply(HandOverCommands::json)
        .handleAsync((text, failure) -> afterDrain(text, failure, forced), loop)
        .thenApply(Supplier::get);
  }

  /** Concludes a drain; after a failed hand-over the lease is given back only if forced. */
  private Supplier<String> afterDrain(String text, Throwable failure, boolean forced) {
    if (failure == null) {
      return () -> text;
    }
    if (!forced) {
      return () -> {
        throw new IllegalStateException(
            reason(failure)
                + "; nothing was changed; with force=true the lease is given back, and"
                + " transactions under way are aborted");
      };
    }
    node.drain();
    node.release();
    return HandOverCommands::drained;
  }

  private static String reason(Throwable failure) {
    return String.valueOf(cause(failure).getMessage());
  }

  private static Throwable cause(Throwable failure) {
    Throwable cause = failure.getCause();
    return failure instanceof CompletionException && cause != null ? cause : failure;
  }

  private static String drained() {
    return Json.object(json -> json.writeBooleanField("drained", true));
  }

  private static String json(TransferResult report) {
    return Json.object(
        json -> {
          json.writeStringField("successor", report.successor());
          json.writeBooleanField("leading", report.leading());
          json.writeNumberField("gapMicros", report.gap().toNanos() / 1_000);
          json.writeNumberField("attempts", report.attempts());
          json.writeNumberField("rounds", report.rounds());
          json.writeNumberField("conflicts", report.conflicts());
          json.writeNumberField("decisions", report.decisions());
          json.writeNumberField("holds", report.holds());
        });
  }
}
