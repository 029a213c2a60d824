package io.lampone.tm.token.core;

import io.lampone.protocol.trust.DelegationToken;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The renewed and cancelled tokens known to this server; decides which tokens are valid. Times are
 * in milliseconds since 1970. Not thread-safe.
 */
public final class TokenTable {

  /** Time for which marks outlive their token, because clocks of servers differ. */
  static final long CLOCKS_DIFFER_MILLIS = 600_000;

  /** A renewal that adds less than one in so many parts of a lifetime needs no mark. */
  private static final int SMALLEST_GAIN = 10;

  /** Divisor of the limit of an owner that gives its limit of cancelled tokens. */
  private static final int PART_CANCELLED = 5;

  private final TokenSettings settings;

  /** The effective mark by the number of the token. */
  private final Map<Long, TokenMark> marks = new HashMap<>();

  /** Marks added since the last listing began, which may not contain them. */
  private final List<TokenMark> added = new ArrayList<>();

  public TokenTable(TokenSettings settings) {
    this.settings = settings;
  }

  /** Must be called before the marks are listed. */
  public void beginListing() {
    added.clear();
  }

  /**
   * Replaces the marks by a listing; returns marks that are superseded or whose tokens have expired
   * on every server's clock.
   *
   * @param clockIsRight false if this server's clock may be ahead of the others': then no mark is
   *     returned because its token has expired, for on other servers a cancelled token would be
   *     valid again
   */
  public List<TokenMark> listed(Collection<TokenMark> all, long nowMillis, boolean clockIsRight) {
    marks.clear();
    List<TokenMark> obsolete = new ArrayList<>();
    for (TokenMark mark : all) {
      if (mark.untilMillis() < nowMillis - CLOCKS_DIFFER_MILLIS) {
        if (clockIsRight) {
          obsolete.add(mark);
        }
      } else {
        put(mark).ifPresent(obsolete::add);
      }
    }
    added.forEach(this::put);
    return obsolete;
  }

  /** Adds a mark that has been stored. */
  public void add(TokenMark mark) {
    added.add(mark);
    put(mark);
  }

  /** Returns the number of tokens with a mark. */
  public int size() {
    return marks.size();
  }

  /** Returns the end of the token's validity; 0 if it was cancelled. */
  public long validUntil(DelegationToken token) {
    TokenMark mark = marks.get(token.number());
    if (mark == null) {
      return token.expiresMillis();
    }
    return mark.cancelled()
        ? 0
        : Math.min(token.latestMillis(), Math.max(token.expiresMillis(), mark.untilMillis()));
  }

  /** Returns why the token is not valid; empty if it is. */
  public Optional<String> problem(DelegationToken token, long nowMillis) {
    long until = validUntil(token);
    if (until == 0) {
      return Optional.of("the delegation token was cancelled: obtain a new one");
    }
    return until > nowMillis
        ? Optional.empty()
        : Optional.of("the delegation token has expired: obtain a new one, and have it renewed");
  }

  /**
   * Returns the mark that renews the token; empty if a renewal would add too little.
   *
   * @throws IllegalArgumentException if {@code principal} is not its renewer, or it is not valid
   * @throws IllegalStateException if there are too many marks
   */
  public Optional<TokenMark> renew(DelegationToken token, String principal, long nowMillis) {
    if (token.renewer().isEmpty() || !token.renewer().equals(principal)) {
      throw new IllegalArgumentException(
          "only its renewer may renew a delegation token, renewer=" + token.renewer());
    }
    problem(token, nowMillis)
        .ifPresent(
            problem -> {
              throw new IllegalArgumentException(problem);
            });
    long lifetime = settings.lifetime().toMillis();
    long until = Math.min(nowMillis + lifetime, token.latestMillis());
    if (until - validUntil(token) < lifetime / SMALLEST_GAIN) {
      return Optional.empty();
    }
    TokenMark mark = new TokenMark(token.number(), until, false, TokenMark.ownerOf(token.owner()));
    requireRoom(mark);
    return Optional.of(mark);
  }

  /**
   * Returns the mark that cancels the token; empty if it is cancelled, or will never be valid
   * again. On other servers' clocks it may be valid longer than on this one's.
   *
   * @throws IllegalArgumentException if {@code principal} is neither its owner nor its renewer
   * @throws IllegalStateException if there are too many marks
   */
  public Optional<TokenMark> cancel(DelegationToken token, String principal, long nowMillis) {
    if (!token.owner().equals(principal) && !token.renewer().equals(principal)) {
      throw new IllegalArgumentException(
          "only its owner and its renewer may cancel a delegation token");
    }
    long until = validUntil(token);
    if (until == 0 || token.latestMillis() + CLOCKS_DIFFER_MILLIS <= nowMillis) {
      return Optional.empty();
    }
    // Where it has expired by this clock only, it may be valid, and be renewed, by others.
    long kept = until > nowMillis ? until : token.latestMillis();
    TokenMark mark = new TokenMark(token.number(), kept, true, TokenMark.ownerOf(token.owner()));
    requireRoom(mark);
    return Optional.of(mark);
  }

  /**
   * Checks the limits. Renewed and cancelled tokens are counted separately: a token that its owner
   * obtains and cancels takes no room from tokens that others have renewed.
   */
  private void requireRoom(TokenMark mark) {
    TokenMark before = marks.get(mark.number());
    if (before != null && before.cancelled() == mark.cancelled()) {
      return;
    }
    int limitOfOwner =
        mark.cancelled()
            ? Math.max(1, settings.keptOfOwner() / PART_CANCELLED)
            : settings.keptOfOwner();
    int all = 0;
    int ofOwner = 0;
    for (TokenMark other : marks.values()) {
      if (other.cancelled() == mark.cancelled()) {
        all++;
        ofOwner += other.owner().equals(mark.owner()) ? 1 : 0;
      }
    }
    if (all >= settings.kept() || ofOwner >= limitOfOwner) {
      throw new IllegalStateException(
          "too many "
              + (mark.cancelled() ? "cancelled" : "renewed")
              + " delegation tokens, kept="
              + all
              + " ofOwner="
              + ofOwner
              + ": the token stays as it is; raise lampone.tm.security.token.kept and"
              + " lampone.tm.security.token.kept.of.owner, or wait until others expire");
    }
  }

  /** Keeps the effective mark; returns the other one. */
  private Optional<TokenMark> put(TokenMark mark) {
    TokenMark before = marks.get(mark.number());
    if (before == null || before.equals(mark)) {
      marks.put(mark.number(), mark);
      return Optional.empty();
    }
    boolean counts =
        mark.cancelled() == before.cancelled()
            ? mark.untilMillis() > before.untilMillis()
            : mark.cancelled();
    if (counts) {
      marks.put(mark.number(), mark);
      return Optional.of(before);
    }
    return Optional.of(mark);
  }
}
