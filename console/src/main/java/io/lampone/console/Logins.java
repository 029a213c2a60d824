package io.lampone.console;

import io.lampone.cli.CommandException;
import io.lampone.console.core.LoginCore;
import io.lampone.console.core.LoginCore.Verdict;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.wire.Identity;
import io.lampone.protocol.wire.SharedSecret;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * Checks names and secrets of principals, by authenticating with them at the primary, one after the
 * other on a thread of its own. After a wrong one it waits, which limits guessing to one a second.
 */
final class Logins implements AutoCloseable {

  private static final String SCHEME = "Basic ";
  private static final int SALT_BYTES = 16;
  private static final long PAUSE_MILLIS = 1_000;

  /** Asks the primary. */
  @FunctionalInterface
  interface Check {
    boolean isAdministrator(Identity identity, SharedSecret secret)
        throws IOException, InterruptedException;
  }

  private record Credentials(Identity identity, SharedSecret secret) {}

  private final Check check;
  private final Clock clock;
  private final LoginCore core = new LoginCore();
  private final byte[] salt = new byte[SALT_BYTES];
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(
          task -> {
            Thread checker = new Thread(task, "lampone-console-login");
            checker.setDaemon(true);
            return checker;
          });

  Logins(Check check, Clock clock) {
    this.check = check;
    this.clock = clock;
    new SecureRandom().nextBytes(salt);
  }

  /**
   * Returns whether the credentials of a request permit it. Does not wait.
   *
   * @param authorization the header of this name
   */
  Verdict verdict(String authorization) {
    Optional<Credentials> shown = credentials(authorization);
    if (shown.isEmpty()) {
      return Verdict.REFUSED;
    }
    String digest = digest(authorization);
    LoginCore.Answer answer;
    synchronized (core) {
      answer = core.answer(digest, clock.monotonicNanos());
    }
    if (answer.check()) {
      thread.execute(() -> check(digest, shown.get()));
    }
    return answer.verdict();
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }

  private void check(String digest, Credentials shown) {
    Optional<Boolean> permitted = Optional.empty();
    try {
      permitted = Optional.of(check.isAdministrator(shown.identity, shown.secret));
      if (!permitted.get()) {
        TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
      }
    } catch (IOException | CommandException e) {
      // No primary: the verdict says so.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      synchronized (core) {
        core.checked(digest, permitted, clock.monotonicNanos());
      }
    }
  }

  /** Returns what the header shows; empty if no principal can have it. */
  private static Optional<Credentials> credentials(String authorization) {
    if (!authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
      return Optional.empty();
    }
    try {
      byte[] decoded = Base64.getDecoder().decode(authorization.substring(SCHEME.length()).strip());
      String text = new String(decoded, StandardCharsets.UTF_8);
      int colon = text.indexOf(':');
      return colon < 1
          ? Optional.empty()
          : Optional.of(
              new Credentials(
                  new Identity(text.substring(0, colon), ""),
                  new SharedSecret(Bytes.utf8(text.substring(colon + 1)))));
    } catch (IllegalArgumentException | MalformedException e) {
      return Optional.empty();
    }
  }

  private String digest(String authorization) {
    try {
      MessageDigest sha = MessageDigest.getInstance("SHA-256");
      sha.update(salt);
      return HexFormat.of().formatHex(sha.digest(authorization.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e); // each Java has it
    }
  }
}
