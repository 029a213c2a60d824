package io.lampone.tm.security;

import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Authentication and TLS of one server, with the files that they rest on. */
public final class Security {

  private static final Logger LOG = LoggerFactory.getLogger(Security.class);

  private final Authenticator authenticator;
  private final Optional<WatchedFiles<Principals>> principals;
  private final Optional<WatchedFiles<TlsContext>> tls;

  /** How often a changed file could not be used. */
  private final AtomicInteger failedRefreshes = new AtomicInteger();

  private Security(
      Authenticator.Mode mode,
      Optional<WatchedFiles<Principals>> principals,
      Optional<WatchedFiles<TlsContext>> tls) {
    this.principals = principals;
    this.tls = tls;
    this.authenticator =
        new Authenticator(
            mode, () -> principals.map(WatchedFiles::current).orElseGet(Principals::none));
  }

  /** Believes everybody, protects nothing. */
  public static Security off() {
    return new Security(Authenticator.Mode.NONE, Optional.empty(), Optional.empty());
  }

  /**
   * Reads the files.
   *
   * @throws IOException if one cannot be read
   * @throws IllegalArgumentException if one does not hold what it should
   */
  public static Security load(SecuritySettings settings, Clock clock) throws IOException {
    Optional<WatchedFiles<Principals>> principals = Optional.empty();
    if (settings.principalsFile().isPresent()) {
      Path file = settings.principalsFile().get();
      principals = Optional.of(new WatchedFiles<>(List.of(file), () -> readPrincipals(file)));
    }
    Optional<WatchedFiles<TlsContext>> tls = Optional.empty();
    if (settings.tls().isPresent()) {
      TlsSettings files = settings.tls().get();
      tls = Optional.of(new WatchedFiles<>(files.files(), () -> TlsContext.load(files, clock)));
    }
    return new Security(settings.authentication(), principals, tls);
  }

  /** Decides whom to believe. */
  public Authenticator authenticator() {
    return authenticator;
  }

  /** What the next TLS handshake needs; empty for plain text. */
  public Optional<TlsContext> tls() {
    return tls.map(WatchedFiles::current);
  }

  /** Whether there are files that may change. */
  public boolean restsOnFiles() {
    return principals.isPresent() || tls.isPresent();
  }

  /** How often a changed file could not be used. */
  public int failedRefreshes() {
    return failedRefreshes.get();
  }

  /** Reads again what has changed; says whether the principals have. Not on the event loop. */
  public boolean refresh() {
    tls.ifPresent(this::refreshed);
    return principals.isPresent() && refreshed(principals.get());
  }

  private boolean refreshed(WatchedFiles<?> files) {
    try {
      boolean changed = files.refresh();
      if (changed) {
        LOG.info("read again what has changed, files={}", files.files());
      }
      return changed;
    } catch (IOException | IllegalArgumentException e) {
      failedRefreshes.incrementAndGet();
      LOG.error(
          "a changed file cannot be used, what was read before stays in force, files={} cause={}",
          files.files(),
          e.getMessage());
      return false;
    }
  }

  private static Principals readPrincipals(Path file) throws IOException {
    try {
      String text = new String(WatchedFiles.read(file), StandardCharsets.UTF_8);
      WatchedFiles.requirePrivate(file);
      return Principals.parse(text.lines().toList());
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(e.getMessage() + ", in the principals file=" + file, e);
    }
  }
}
