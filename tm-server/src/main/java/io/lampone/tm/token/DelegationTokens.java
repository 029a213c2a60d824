package io.lampone.tm.token;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.connect.ClientToken;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.trust.DelegationToken;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.wire.SharedSecret;
import io.lampone.tm.token.core.TokenMark;
import io.lampone.tm.token.core.TokenSettings;
import io.lampone.tm.token.core.TokenTable;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The delegation tokens of a cluster. A token that is neither renewed nor cancelled is not stored:
 * every transaction manager with the cluster key can compute its password. Event loop only.
 */
public final class DelegationTokens {

  /** Interval of reads of the store; about the delay until other servers know a cancellation. */
  public static final Duration REFRESH = Duration.ofSeconds(2);

  /** Tokens are not accepted while the last read is older than this. */
  static final Duration OLDEST_READING = Duration.ofSeconds(10);

  /** Maximum interval between checks of connections against the tokens that admitted them. */
  private static final Duration REVIEW = Duration.ofSeconds(30);

  /** Maximum names removed after one read. */
  private static final int MAX_REMOVED = 200;

  private static final Logger LOG = LoggerFactory.getLogger(DelegationTokens.class);

  private final Proofs proofs;
  private final TokenSettings settings;
  private final Clock clock;
  private final TokenTable table;
  private final SecureRandom random = new SecureRandom();

  private TokenStore store = new LoneTokenStore();
  private @Nullable ScheduledExecutorService loop;
  private BooleanSupplier trustedClock = () -> false;

  /** Marks of the last read. */
  private List<TokenMark> marks = List.of();

  /** True if the store has been read; {@link #readNanos} is the time of that. */
  private boolean read;

  private long readNanos;
  private long reviewedNanos;
  private boolean reading;

  /** True if it was logged that the store cannot be read. */
  private boolean complained;

  /** Takes the keys; reads nothing before {@link #start}. */
  public DelegationTokens(Proofs proofs, TokenSettings settings, Clock clock) {
    this.proofs = proofs;
    this.settings = settings;
    this.clock = clock;
    this.table = new TokenTable(settings);
  }

  /** Returns tokens of which none is valid and none can be issued. */
  public static DelegationTokens none() {
    return new DelegationTokens(Proofs.OPEN, TokenSettings.DEFAULT, SystemClock.INSTANCE);
  }

  /**
   * Starts periodic reads of the store, if tokens can be issued at all.
   *
   * @param clockIsRight returns false while this server's clock may be ahead of the others'
   * @param changed called after a change, and occasionally
   */
  public void start(
      TokenStore usedStore,
      ScheduledExecutorService usedLoop,
      BooleanSupplier clockIsRight,
      Runnable changed) {
    if (!proofs.isOpen()) {
      usedLoop.execute(
          () -> {
            store = usedStore;
            loop = usedLoop;
            trustedClock = clockIsRight;
          });
      usedLoop.scheduleAtFixedRate(
          () -> refresh(changed), 0, REFRESH.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  /**
   * Issues a token.
   *
   * @throws IllegalStateException without a cluster key
   */
  public ClientToken issue(String owner, String renewer) {
    long now = clock.wallMillis();
    long latest = now + settings.longestLifetime().toMillis();
    DelegationToken token =
        new DelegationToken(
            owner,
            renewer,
            now,
            Math.min(now + settings.lifetime().toMillis(), latest),
            latest,
            random.nextLong());
    Bytes password =
        proofs
            .tokenPassword(token)
            .orElseThrow(
                () ->
                    new IllegalStateException(
                        "delegation tokens need a cluster key that counts now: set"
                            + " lampone.tm.security.cluster.key.file"));
    return new ClientToken(token, password);
  }

  /** Returns the password of a token that may be invented; empty if there can be none. */
  public Optional<Bytes> password(DelegationToken token) {
    return proofs.tokenPassword(token);
  }

  /** Returns why the token is not valid; empty if it is, as far as this server knows. */
  public Optional<String> problem(DelegationToken token) {
    return table.problem(token, clock.wallMillis());
  }

  /** Returns true if this server's knowledge of cancelled tokens is current. */
  public boolean isUpToDate() {
    return read && clock.monotonicNanos() - readNanos < OLDEST_READING.toNanos();
  }

  /**
   * Renews a token for its renewer; completes with its new end of validity.
   *
   * @param possession proves that the renewer has the token's password
   * @throws IllegalArgumentException if it may not be renewed
   * @throws IllegalStateException if it cannot be renewed now
   */
  public CompletableFuture<Long> renew(DelegationToken token, Bytes possession, String principal) {
    requireHeld(token, possession);
    Optional<TokenMark> mark = table.renew(token, principal, clock.wallMillis());
    return store(mark).thenApply(stored -> table.validUntil(token));
  }

  /** Cancels a token for its owner or renewer; exceptions as of {@link #renew}. */
  public CompletableFuture<Void> cancel(DelegationToken token, Bytes possession, String principal) {
    requireHeld(token, possession);
    return store(table.cancel(token, principal, clock.wallMillis()));
  }

  private void requireHeld(DelegationToken token, Bytes possession) {
    boolean held =
        password(token)
            .filter(password -> SharedSecret.same(token.possession(password), possession))
            .isPresent();
    if (!held) {
      throw new IllegalArgumentException(
          "the delegation token is of another cluster or of a retired cluster key, or its password"
              + " is wrong");
    }
    if (!isUpToDate()) {
      throw new IllegalStateException(
          "renewed and cancelled tokens cannot be read from ZooKeeper: try again later");
    }
  }

  private CompletableFuture<Void> store(Optional<TokenMark> mark) {
    if (mark.isEmpty() || loop == null) {
      return CompletableFuture.allOf();
    }
    return store.add(mark.get().name()).thenRunAsync(() -> table.add(mark.get()), loop);
  }

  private void refresh(Runnable changed) {
    ScheduledExecutorService current = loop;
    if (reading || current == null) {
      return;
    }
    reading = true;
    table.beginListing();
    long begun = clock.monotonicNanos();
    store
        .list()
        // There may be thousands; parsing them is too long for the event loop.
        .thenApply(
            names ->
                names.stream().sorted().flatMap(name -> TokenMark.ofName(name).stream()).toList())
        .whenCompleteAsync(
            (listed, failure) -> {
              reading = false;
              if (listed == null) {
                unread(failure);
              } else {
                listed(listed, begun, changed);
              }
            },
            current);
  }

  private void unread(@Nullable Throwable failure) {
    if (read && !isUpToDate() && !complained) {
      complained = true;
      LOG.warn(
          "delegation tokens are refused: renewed and cancelled ones cannot be read from ZooKeeper",
          failure);
    }
  }

  private void listed(List<TokenMark> listed, long begunNanos, Runnable changed) {
    table.listed(listed, clock.wallMillis(), trustedClock.getAsBoolean()).stream()
        .limit(MAX_REMOVED)
        .forEach(mark -> store.remove(mark.name()));
    boolean first = !read;
    read = true;
    complained = false;
    readNanos = begunNanos;
    if (first || !listed.equals(marks) || begunNanos - reviewedNanos > REVIEW.toNanos()) {
      reviewedNanos = begunNanos;
      changed.run();
    }
    marks = listed;
  }
}
