package io.lampone.tm.command;

import com.fasterxml.jackson.core.JsonGenerator;
import io.lampone.protocol.tm.BucketMap;
import io.lampone.protocol.tm.Member;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.Command;
import io.lampone.protocol.wire.Transfer;
import io.lampone.tm.command.Commands.Access;
import io.lampone.tm.command.Commands.Sender;
import io.lampone.tm.core.Validators;
import io.lampone.tm.core.status.ValidatorMetrics;
import io.lampone.tm.core.validation.LostValidators;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Validators besides the primary:
 *
 * <pre>
 *   buckets                                        the owners of the buckets, as text for clients
 *   validators        [probe=true]                 those with buckets, and the processes that run;
 *                                                  with probe, whether these can receive buckets
 *   validator-add     validator=NAME|ADDRESS [force=true]  gives it its share; with force although
 *                                                  clients are connected that do not know validators
 *   validator-remove  validator=NAME|ADDRESS [now=true]   gives its buckets to the others
 *   validator-move    from=NAME to=NAME buckets=N  moves buckets; 'primary' is a name too
 * </pre>
 */
public final class ValidatorCommands {

  private static final String VALIDATOR = "validator";
  private static final String NOW = "now";
  private static final String FROM = "from";
  private static final String TO = "to";
  private static final String BUCKETS = "buckets";
  private static final String PRIMARY = "primary";
  private static final String FORCE = "force";

  /** Maximum number of clients named in a message. */
  private static final int MAX_NAMED = 5;

  private static final String PROBE = "probe";
  private static final String PROBLEM = "problem";

  private final Validators validators;
  private final ConnectedClients clients;

  /** The map that was asked for last, and its encoding. */
  private BucketMap lastMap = BucketMap.OF_PRIMARY;

  private String lastEncoded = lastMap.encode();

  public ValidatorCommands(Validators validators, ConnectedClients clients) {
    this.validators = validators;
    this.clients = clients;
  }

  /** Registers these commands. */
  public void addTo(Commands commands) {
    commands
        .add(Command.OWNERS_OF_BUCKETS, Access.CLIENT, this::buckets)
        .add("validators", Access.CLIENT, this::list)
        .add("validator-add", Access.ADMINISTRATOR, this::add)
        .add("validator-remove", Access.ADMINISTRATOR, this::remove)
        .add("validator-move", Access.ADMINISTRATOR, this::move);
  }

  private CompletableFuture<String> buckets(String argument, Sender sender) {
    CommandArguments.parse(argument, List.of());
    BucketMap map = validators.map();
    if (map != lastMap) {
      lastMap = map;
      lastEncoded = map.encode();
    }
    return CompletableFuture.completedFuture(lastEncoded);
  }

  private CompletableFuture<String> list(String argument, Sender sender) {
    boolean probe =
        CommandArguments.parse(argument, List.of(PROBE))
            .find(PROBE)
            .map(Boolean::parseBoolean)
            .orElse(false);
    validators.map(); // fails here if this is not the primary
    return validators
        .registered(true)
        .exceptionally(failure -> List.of())
        .thenCompose(registered -> problems(idle(registered), probe));
  }

  /** Returns the registered processes without a bucket. */
  private List<Member> idle(List<Member> registered) {
    List<Validators.Seen> seen = validators.seen();
    return registered.stream()
        .filter(each -> seen.stream().noneMatch(one -> one.node().address().equals(each.address())))
        .toList();
  }

  private CompletableFuture<String> problems(List<Member> idle, boolean probe) {
    Map<Member, String> problems = new LinkedHashMap<>();
    idle.forEach(each -> problems.put(each, ""));
    CompletableFuture<?>[] probes =
        idle.stream()
            .limit(probe ? BucketMap.MAX_VALIDATORS : 0)
            .map(
                each ->
                    validators
                        .probe(each.address())
                        .thenAccept(found -> found.ifPresent(why -> problems.put(each, why))))
            .toArray(CompletableFuture<?>[]::new);
    return CompletableFuture.allOf(probes).thenApply(done -> json(problems));
  }

  private String json(Map<Member, String> idle) {
    BucketMap map = validators.map();
    List<Validators.Seen> seen = validators.seen();
    ValidatorMetrics metrics = validators.metrics();
    return Json.object(
        json -> {
          json.writeNumberField("version", map.version());
          json.writeNumberField("bucketsOfPrimary", map.share(BucketMap.PRIMARY));
          json.writeNumberField("earlierEras", metrics.earlierEras());
          json.writeNumberField("lostEras", metrics.lostBuckets());
          json.writeArrayFieldStart("validators");
          for (Validators.Seen each : seen) {
            json.writeStartObject();
            json.writeStringField("name", each.node().name());
            json.writeStringField("address", each.node().address());
            json.writeNumberField(BUCKETS, each.buckets());
            json.writeNumberField("votesPerSecond", Math.round(each.votesPerSecond()));
            json.writeNumberField("silentMillis", each.silent().toMillis());
            if (each.counts().isPresent()) {
              write(each.counts().get(), json);
            }
            json.writeEndObject();
          }
          json.writeEndArray();
          json.writeArrayFieldStart("idle");
          for (Map.Entry<Member, String> each : idle.entrySet()) {
            json.writeStartObject();
            json.writeStringField("name", nameOf(each.getKey()));
            json.writeStringField("address", each.getKey().address());
            json.writeStringField(PROBLEM, each.getValue());
            json.writeEndObject();
          }
          json.writeEndArray();
          json.writeArrayFieldStart("lost");
          for (LostValidators.Loss each : validators.losses()) {
            json.writeStartObject();
            json.writeStringField("name", each.validator().name());
            json.writeStringField("address", each.validator().address());
            json.writeNumberField("atMillis", each.atMillis());
            json.writeStringField(PROBLEM, each.problem());
            json.writeEndObject();
          }
          json.writeEndArray();
        });
  }

  private void write(Transfer.Reply.Counts counts, JsonGenerator json) throws IOException {
    json.writeNumberField("votes", counts.votes());
    json.writeNumberField("hashes", counts.hashes());
    json.writeNumberField("entries", counts.entries());
    json.writeNumberField("capacity", counts.capacity());
    json.writeNumberField("lowWatermark", counts.low());
    if (counts.low() > 0) {
      json.writeNumberField("lowLagMillis", validators.age(counts.low()).toMillis());
    }
  }

  private static String nameOf(Member member) {
    return member.holder().substring(0, Math.max(0, member.holder().indexOf('/')));
  }

  private CompletableFuture<String> add(String argument, Sender sender) {
    CommandArguments arguments = CommandArguments.parse(argument, List.of(VALIDATOR, FORCE));
    String wanted = arguments.text(VALIDATOR);
    validators.map(); // fails here if this is not the primary
    if (!arguments.find(FORCE).map(Boolean::parseBoolean).orElse(false)) {
      requireNoOlderClient();
    }
    return validators
        .registered(false)
        .thenCompose(found -> validators.add(addressOf(wanted, found)))
        .thenApply(this::report);
  }

  /** Refuses while there are clients whose commits would then be refused. */
  private void requireNoOlderClient() {
    List<String> older = clients.without(Capabilities.BUCKETS);
    if (!older.isEmpty()) {
      throw new IllegalStateException(
          "clients of an older version are connected, which do not know validators: their commits"
              + " would be refused; upgrade them, or use --force, clients="
              + older.stream().limit(MAX_NAMED).toList()
              + " all="
              + older.size());
    }
  }

  /** Returns the address of the registered validator with this name or address. */
  private static String addressOf(String wanted, List<Member> registered) {
    // A process that was restarted is registered twice until its old session ends.
    List<String> named =
        registered.stream()
            .filter(each -> nameOf(each).equals(wanted) || each.address().equals(wanted))
            .map(Member::address)
            .distinct()
            .toList();
    if (named.size() == 1) {
      return named.get(0);
    }
    throw new IllegalArgumentException(
        named.isEmpty()
            ? "no such validator runs: start it with 'lampone validator run', or name one of these,"
                + " validators="
                + registered.stream().map(each -> nameOf(each) + " " + each.address()).toList()
            : "several validators have this name: give the address, addresses=" + named);
  }

  private CompletableFuture<String> remove(String argument, Sender sender) {
    CommandArguments arguments = CommandArguments.parse(argument, List.of(VALIDATOR, NOW));
    BucketMap.Node removed = known(arguments.text(VALIDATOR));
    validators.remove(removed, arguments.find(NOW).map(Boolean::parseBoolean).orElse(false));
    return CompletableFuture.completedFuture(report(removed));
  }

  private CompletableFuture<String> move(String argument, Sender sender) {
    CommandArguments arguments = CommandArguments.parse(argument, List.of(FROM, TO, BUCKETS));
    Optional<BucketMap.Node> from = owner(arguments.text(FROM));
    Optional<BucketMap.Node> to = owner(arguments.text(TO));
    int count = buckets(arguments.text(BUCKETS));
    if (from.equals(to)) {
      throw new IllegalArgumentException("both are the same owner, from=" + arguments.text(FROM));
    }
    BucketMap map = validators.map();
    int share =
        map.share(from.map(node -> map.validators().indexOf(node) + 1).orElse(BucketMap.PRIMARY));
    if (share == 0) {
      throw new IllegalArgumentException("the owner has no buckets, from=" + arguments.text(FROM));
    }
    validators.move(from, to, count);
    return CompletableFuture.completedFuture(
        Json.object(
            json -> {
              json.writeNumberField(BUCKETS, Math.min(count, share));
              json.writeNumberField("version", validators.map().version());
            }));
  }

  private static int buckets(String text) {
    try {
      int count = Integer.parseInt(text);
      if (count > 0 && count <= BucketMap.BUCKETS) {
        return count;
      }
    } catch (NumberFormatException e) {
      // reported below
    }
    throw new IllegalArgumentException(
        "not a number of buckets from 1 to " + BucketMap.BUCKETS + ", buckets=" + text);
  }

  private Optional<BucketMap.Node> owner(String name) {
    return name.equals(PRIMARY) ? Optional.empty() : Optional.of(known(name));
  }

  private BucketMap.Node known(String nameOrAddress) {
    return validators
        .find(nameOrAddress)
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "this validator owns nothing, validator="
                        + nameOrAddress
                        + " known="
                        + validators.map().validators().stream()
                            .map(BucketMap.Node::name)
                            .toList()));
  }

  private String report(BucketMap.Node changed) {
    BucketMap map = validators.map();
    int index = map.validators().indexOf(changed);
    return Json.object(
        json -> {
          json.writeStringField("name", changed.name());
          json.writeStringField("address", changed.address());
          json.writeNumberField(BUCKETS, index < 0 ? 0 : map.share(index + 1));
          json.writeNumberField("version", map.version());
        });
  }
}
