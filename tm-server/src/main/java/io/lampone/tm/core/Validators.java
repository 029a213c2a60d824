package io.lampone.tm.core;

import io.lampone.protocol.time.Clock;
import io.lampone.protocol.tm.BucketMap;
import io.lampone.protocol.tm.Member;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.wire.Transfer;
import io.lampone.tm.core.status.ValidatorMetrics;
import io.lampone.tm.core.transfer.TransferLink;
import io.lampone.tm.core.validation.BucketOwners;
import io.lampone.tm.core.validation.LostValidators;
import io.lampone.tm.core.validation.Sharding;
import io.lampone.tm.core.validation.ShareReports;
import io.lampone.tm.core.validation.Shares;
import io.lampone.tm.core.validation.ValidatorContact;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The validators besides the primary (ADR 91): the primary keeps a connection to each that has
 * buckets, and gives the buckets of one that does not answer to the others. Nothing that is right
 * or wrong depends on how soon that is, or on whether the validator still runs.
 *
 * <p>After an unplanned change of the primary, the registered validators report what the last
 * primary has given them, and receive it again.
 *
 * <p>Not thread-safe: all calls arrive on the thread of the node.
 */
public final class Validators {

  private static final Logger LOG = LoggerFactory.getLogger(Validators.class);

  private final ManagerNode node;
  private final Members registry;
  private final TransferLink.Connector connector;
  private final Executor loop;
  private final Clock clock;
  private final Proofs proofs;
  private final Sharding settings;

  private final ValidatorContact.Owner contactOwner = new ContactOwner();
  private final Map<String, ValidatorContact> contacts = new LinkedHashMap<>();

  private final LostValidators losses = new LostValidators();
  private final ShareReports reports;

  private long changes;

  private volatile ValidatorMetrics metrics = ValidatorMetrics.NONE;

  private long lastTickNanos;

  /**
   * @param registry the validator processes that run
   * @param loop runs on the thread of the node
   */
  public Validators(
      ManagerNode node,
      Members registry,
      TransferLink.Connector connector,
      Executor loop,
      Clock clock,
      Proofs proofs,
      Sharding settings) {
    this.node = node;
    this.registry = registry;
    this.connector = connector;
    this.loop = loop;
    this.clock = clock;
    this.proofs = proofs;
    this.settings = settings;
    this.reports = new ShareReports(new Reported(), clock);
  }

  /**
   * A validator as the primary sees it.
   *
   * @param node its identity
   * @param counts its last counts; empty before its first answer
   * @param votesPerSecond its votes between the last two answers
   * @param buckets number of buckets that it owns now
   * @param silent time since its last answer
   */
  public record Seen(
      BucketMap.Node node,
      Optional<Transfer.Reply.Counts> counts,
      double votesPerSecond,
      int buckets,
      Duration silent) {}

  /** Keeps the connections, and performs due work. */
  public void tick() {
    long now = clock.monotonicNanos();
    // After a pause of this process, the answers are still unread.
    long sinceTick = now - lastTickNanos;
    long pause = sinceTick > ValidatorContact.PING_INTERVAL.toNanos() ? sinceTick : 0;
    lastTickNanos = now;
    if (node.leading().isEmpty()) {
      List.copyOf(contacts.values()).forEach(ValidatorContact::close);
      metrics = new ValidatorMetrics(0, 0, 0, 0, changes, losses.total());
      return;
    }
    whileLeading(() -> lead(now, pause));
  }

  private void lead(long now, long pause) {
    reports.tick(now, map());
    BucketMap map = map();
    map.validators().forEach(each -> contact(each.address()));
    List.copyOf(contacts.values()).forEach(each -> each.tick(now, pause, map));
    node.asPrimary(
        primary -> {
          primary.buckets().forget(primary.core().safePoint());
          metrics = metrics(primary.buckets(), now);
          return true;
        });
  }

  private ValidatorMetrics metrics(BucketOwners buckets, long now) {
    BucketOwners.Ownership ownership = buckets.ownership();
    int owners = 0;
    long silentNanos = 0;
    for (int i = 0; i < buckets.map().validators().size(); i++) {
      ValidatorContact contact = contacts.get(buckets.map().validators().get(i).address());
      if (ownership.shares().get(i + 1) > 0) {
        owners++;
        silentNanos =
            contact == null ? silentNanos : Math.max(silentNanos, contact.silentNanos(now));
      }
    }
    return new ValidatorMetrics(
        owners,
        silentNanos,
        ownership.earlierEras(),
        ownership.lostBuckets(),
        changes,
        losses.total());
  }

  /** Returns the metrics of the last tick; any thread may call this. */
  public ValidatorMetrics metrics() {
    return metrics;
  }

  /** Returns the age of a timestamp at the primary's last one. */
  public Duration age(long timestamp) {
    return Duration.ofNanos(Math.max(0, lastTimestamp() - timestamp));
  }

  private long lastTimestamp() {
    return node.asPrimary(primary -> primary.core().lastTimestamp());
  }

  /** Returns the last validators that were lost, the newest last. */
  public List<LostValidators.Loss> losses() {
    return losses.last();
  }

  /**
   * Performs work that fails if the lease ends meanwhile, or at the bound: a later tick does it.
   */
  private void whileLeading(Runnable work) {
    try {
      work.run();
    } catch (IllegalStateException e) {
      LOG.info("validators have to wait, cause={}", e.getMessage());
    }
  }

  /**
   * Returns the owners of the buckets.
   *
   * @throws IllegalStateException if this node is not the primary; so do the other methods
   */
  public BucketMap map() {
    return node.asPrimary(primary -> primary.buckets().map());
  }

  /** Returns the validators that have ever owned a bucket that may still matter. */
  public List<Seen> seen() {
    BucketMap map = map();
    return map.validators().stream().map(each -> seen(each, shareOf(each, map))).toList();
  }

  private Seen seen(BucketMap.Node validator, int buckets) {
    ValidatorContact contact = contacts.get(validator.address());
    return contact == null
        ? new Seen(validator, Optional.empty(), 0, buckets, Duration.ZERO)
        : new Seen(
            validator,
            contact.counts(),
            contact.votesPerSecond(),
            buckets,
            Duration.ofNanos(contact.silentNanos(clock.monotonicNanos())));
  }

  /** Returns the registered validators, perhaps of a second ago; completes on the node's thread. */
  public CompletableFuture<List<Member>> registered(boolean recent) {
    return (recent ? registry.recent() : registry.list()).whenCompleteAsync((all, e) -> {}, loop);
  }

  /** Gives a validator its share, once it has answered; completes with its identity. */
  public CompletableFuture<BucketMap.Node> add(String address) {
    return eligible(address)
        .thenApply(
            voting -> {
              BucketMap.Node added = identity(address, voting);
              change(
                  primary ->
                      primary.buckets().add(added, primary.core().draw(), settings.primaryKeeps()));
              reports.end();
              LOG.info("validator added, name={} address={}", added.name(), address);
              return added;
            });
  }

  /** Completes with the reason why a process cannot receive buckets; empty if it can. */
  public CompletableFuture<Optional<String>> probe(String address) {
    return eligible(address)
        .thenApply(voting -> Optional.<String>empty())
        .exceptionally(
            failure ->
                Optional.of(
                    String.valueOf(
                        Objects.requireNonNullElse(failure.getCause(), failure).getMessage())));
  }

  /** Completes, on the thread of the node, with the answer of a process that can have buckets. */
  private CompletableFuture<Transfer.Reply.Voting> eligible(String address) {
    map(); // fails here if this is not the primary
    return contact(address).answered().thenApplyAsync(this::requireCapacity, loop);
  }

  /**
   * Gives the buckets of a validator to the others.
   *
   * @param now whether transactions under way that need its vote abort, instead of asking it
   */
  public void remove(BucketMap.Node removed, boolean now) {
    takeBuckets(removed, now);
    reports.end();
    LOG.info("validator removed, name={} address={}", removed.name(), removed.address());
  }

  private void takeBuckets(BucketMap.Node from, boolean now) {
    change(
        primary ->
            primary.buckets().remove(from, primary.core().draw(), settings.primaryKeeps(), now));
  }

  /** Moves buckets from one owner to another; empty stands for the primary. */
  public void move(Optional<BucketMap.Node> from, Optional<BucketMap.Node> to, int buckets) {
    change(primary -> primary.buckets().move(from, to, buckets, primary.core().draw()));
    reports.end();
  }

  /** Returns the validator of this name or address; empty if it owns nothing. */
  public Optional<BucketMap.Node> find(String nameOrAddress) {
    return map().validators().stream()
        .filter(each -> each.name().equals(nameOrAddress) || each.address().equals(nameOrAddress))
        .findFirst();
  }

  private void change(Consumer<Primary> change) {
    node.asPrimary(
        primary -> {
          change.accept(primary);
          changes++;
          return true;
        });
    // They repeat to the next primary what they own.
    whileLeading(() -> List.copyOf(contacts.values()).forEach(each -> each.pingSoon(map())));
  }

  private Transfer.Reply.Voting requireCapacity(Transfer.Reply.Voting voting) {
    if (voting.counts().capacity() < settings.leastCapacity()) {
      throw new IllegalStateException(
          "the tables of the validator are too small: raise lampone.tm.conflict.table.capacity"
              + " there, capacity="
              + voting.counts().capacity()
              + " least="
              + settings.leastCapacity());
    }
    return voting;
  }

  private static BucketMap.Node identity(String address, Transfer.Reply.Voting voting) {
    return new BucketMap.Node(voting.name(), address, voting.incarnation());
  }

  private static int shareOf(BucketMap.Node validator, BucketMap map) {
    int index = map.validators().indexOf(validator);
    return index < 0 ? 0 : map.share(index + 1);
  }

  private void adopt(String address, Transfer.Reply.Voting voting) {
    List<Integer> buckets = Shares.decode(voting.share());
    if (buckets.isEmpty()) {
      return;
    }
    BucketMap.Node returned = identity(address, voting);
    change(primary -> primary.buckets().adopt(returned, buckets, primary.core().draw()));
    LOG.info(
        "validator has its buckets again, name={} buckets={}",
        returned.name(),
        shareOf(returned, map()));
  }

  private ValidatorContact contact(String address) {
    return contacts.computeIfAbsent(
        address,
        there ->
            new ValidatorContact(
                contactOwner, there, connector, clock, proofs, settings.silence()));
  }

  private void remove(Predicate<BucketMap.Node> which, String problem) {
    for (BucketMap.Node each : map().validators()) {
      if (which.test(each)) {
        if (shareOf(each, map()) == 0) {
          LOG.info(
              "validator without buckets has ended, name={} address={} problem={}",
              each.name(),
              each.address(),
              problem);
        } else {
          LOG.warn(
              "validator lost, its buckets go to the others, name={} address={} problem={}",
              each.name(),
              each.address(),
              problem);
          losses.add(new LostValidators.Loss(each, problem, clock.wallMillis()));
        }
        takeBuckets(each, true);
      }
    }
  }

  /** Effects of a contact on this primary. */
  private final class ContactOwner implements ValidatorContact.Owner {

    @Override
    public boolean leads() {
      return node.leading().isPresent();
    }

    @Override
    public BucketMap map() {
      return Validators.this.map();
    }

    @Override
    public long lastTimestamp() {
      return Validators.this.lastTimestamp();
    }

    @Override
    public boolean forget(ValidatorContact ended) {
      return contacts.remove(ended.address(), ended);
    }

    @Override
    public void lost(Predicate<BucketMap.Node> which, String problem) {
      if (leads()) {
        whileLeading(() -> remove(which, problem));
      }
    }
  }

  private final class Reported implements ShareReports.Owner {

    @Override
    public CompletableFuture<List<Member>> registered() {
      return Validators.this.registered(false);
    }

    @Override
    public CompletableFuture<Transfer.Reply.Voting> answer(String address) {
      return contact(address).answered().whenCompleteAsync((voting, failure) -> {}, loop);
    }

    @Override
    public void adopt(String address, Transfer.Reply.Voting voting) {
      Validators.this.adopt(address, voting);
    }
  }
}
