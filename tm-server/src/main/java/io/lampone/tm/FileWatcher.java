package io.lampone.tm;

import io.lampone.protocol.time.Clock;
import io.lampone.protocol.time.RareLine;
import io.lampone.tm.admission.Quotas;
import io.lampone.tm.net.TmServerChannel;
import io.lampone.tm.security.Security;
import io.lampone.tm.security.WatchedFiles;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Files of credentials and quotas; checked for changes periodically, on a dedicated thread. */
final class FileWatcher implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(FileWatcher.class);
  private static final int INTERVAL_MILLIS = 1000;

  private final Security security;
  private final Optional<WatchedFiles<Quotas>> quotas;
  private final RareLine failedLooks;

  /** Its thread is started with {@link #start}. */
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          new DefaultThreadFactory("lampone-tm-files", true));

  /**
   * Reads all files for the first time.
   *
   * @throws IOException if one cannot be read
   * @throws IllegalArgumentException if one does not have the expected content
   */
  FileWatcher(TransactionManagerConfig config, Clock clock) throws IOException {
    this.failedLooks = new RareLine(clock);
    this.security = Security.load(config.security(), clock);
    Optional<Path> tenants = config.admission().tenantsFile();
    this.quotas =
        tenants.isPresent()
            ? Optional.of(WatchedFiles.ofLines(tenants.get(), Quotas::parse))
            : Optional.empty();
  }

  Security security() {
    return security;
  }

  Quotas quotas() {
    return quotas.map(WatchedFiles::current).orElse(Quotas.UNLIMITED);
  }

  /** Starts to apply changes to the clients of {@code listener}, on its event loop. */
  void start(TmServerChannel listener, Executor loop) {
    if (security.restsOnFiles() || quotas.isPresent()) {
      thread.scheduleWithFixedDelay(
          () -> carefully(() -> refresh(listener, loop)),
          INTERVAL_MILLIS,
          INTERVAL_MILLIS,
          TimeUnit.MILLISECONDS);
    }
  }

  private void refresh(TmServerChannel listener, Executor loop) {
    if (security.refresh()) {
      loop.execute(listener::reviewGuests);
    }
    if (quotas.isPresent() && quotas.get().refresh()) {
      loop.execute(() -> listener.apply(quotas()));
    }
  }

  /** Returns how often a changed file was unusable. */
  int failures() {
    return security.failedRefreshes() + quotas.map(WatchedFiles::failures).orElse(0);
  }

  /** Returns the number of files that are unusable now. */
  int unusable() {
    return security.outdatedFiles() + quotas.filter(WatchedFiles::isOutdated).map(q -> 1).orElse(0);
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }

  /** Catches failures, because a task that throws would never be run again. */
  private void carefully(Runnable look) {
    try {
      look.run();
    } catch (RuntimeException e) {
      failedLooks
          .happened()
          .ifPresent(times -> LOG.error("files cannot be looked at, times={}", times, e));
    }
  }
}
