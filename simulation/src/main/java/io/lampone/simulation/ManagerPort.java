package io.lampone.simulation;

import io.lampone.protocol.time.Backoff;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.protocol.tm.TransactionManager;
import io.lampone.protocol.tm.TransactionManagerException;
import io.lampone.protocol.tm.TransactionManagerException.Kind;
import io.lampone.protocol.wire.FrameKind;
import io.lampone.protocol.wire.FrameWriter;
import io.lampone.protocol.wire.WireReply;
import io.lampone.protocol.wire.WireRequest;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * How a machine speaks to the transaction manager: what the real dispatcher does, without its
 * network. Each sending has a fresh id; whatever ends a connection puts what was under way on it
 * back among what is to be sent, and then a validation is marked as repeated; a refusal because of
 * overload is no sending.
 */
final class ManagerPort implements TransactionManager {

  private static final Duration STALL = Duration.ofMillis(120);
  private static final Duration GREETING = Duration.ofMillis(60);
  private static final Duration PATIENCE = Duration.ofSeconds(3);
  private static final Backoff SEEKING = new Backoff(Duration.ofMillis(5), Duration.ofMillis(80));

  private final Machine owner;
  private final Network network;
  private final Coordination coordination;
  private final List<ManagerProcess> managers;
  private final Parts parts;
  private final Deque<ManagerCall<?>> toSend = new ArrayDeque<>();
  private final Map<Long, ManagerCall<?>> underWay = new LinkedHashMap<>();
  private final FrameWriter writer = new FrameWriter();
  private @Nullable Link link;
  private long epoch;
  private boolean seeking;
  private int seekings;

  /** Whether the next connection is to one that the record does not name. */
  private boolean straying;

  private long nextId = 1;

  ManagerPort(
      Machine owner,
      Network network,
      Coordination coordination,
      List<ManagerProcess> managers,
      Parts parts) {
    this.owner = owner;
    this.network = network;
    this.coordination = coordination;
    this.managers = managers;
    this.parts = parts;
  }

  @Override
  public CompletableFuture<Begin> begin() {
    return add(new ManagerCall.Beginning());
  }

  @Override
  public CompletableFuture<Validation> validate(Request request) {
    return add(new ManagerCall.Validating(request));
  }

  @Override
  public CompletableFuture<Status> status(long startTimestamp, long snapshot) {
    boolean strays = network.strays();
    if (strays) {
      straying = true;
      disconnect();
    }
    CompletableFuture<Status> asked = add(new ManagerCall.Asking(startTimestamp, snapshot));
    // Nothing else is said to a rival: what is asked next is asked of whom the record names.
    return strays ? asked.whenComplete((status, failure) -> disconnect()) : asked;
  }

  /** The epoch of the primary that answers at the moment. */
  long epoch() {
    return epoch;
  }

  /** Ends the connection: the next request looks for the primary anew. */
  void disconnect() {
    Link old = link;
    if (old != null) {
      lost(old);
    }
  }

  private <T> CompletableFuture<T> add(ManagerCall<T> call) {
    toSend.add(call);
    owner.after(
        PATIENCE,
        () -> {
          if (!call.isDone()) {
            toSend.remove(call);
            underWay.values().remove(call);
            call.completeExceptionally(
                new TransactionManagerException(Kind.UNAVAILABLE, "no answer in time"));
          }
        });
    pump();
    return call;
  }

  private void pump() {
    if (toSend.isEmpty()) {
      return;
    }
    Link open = link;
    if (open == null) {
      seek();
      return;
    }
    writer.start(FrameKind.REQUESTS);
    List<WireRequest> requests = new ArrayList<>();
    while (!toSend.isEmpty()) {
      ManagerCall<?> call = toSend.poll();
      long id = nextId++;
      WireRequest request = call.request(id);
      requests.add(request);
      underWay.put(id, call);
      if (owner.world().isTraced()) {
        owner.say("asks " + open.server().name() + " " + call.describe(id));
      }
      request.writeTo(writer);
    }
    ByteBuffer frame = copy(writer.finish());
    open.toServer(
        () -> open.server().receive(open, frame, requests.size(), r -> received(open, r)));
    long last = nextId - 1;
    owner.after(
        STALL,
        () -> {
          if (link == open && underWay.keySet().stream().anyMatch(id -> id <= last)) {
            lost(open);
          }
        });
  }

  private static ByteBuffer copy(ByteBuffer frame) {
    byte[] bytes = new byte[frame.remaining()];
    frame.get(bytes);
    return ByteBuffer.wrap(bytes);
  }

  private void lost(Link old) {
    old.breakOff();
    if (link != old) {
      return;
    }
    link = null;
    List<ManagerCall<?>> calls = new ArrayList<>(underWay.values());
    underWay.clear();
    for (int i = calls.size() - 1; i >= 0; i--) {
      if (parts.marksRepetitions()) {
        calls.get(i).abandoned();
      }
      toSend.addFirst(calls.get(i));
    }
    pump();
  }

  private void seek() {
    if (seeking) {
      return;
    }
    seeking = true;
    coordination
        .lookUp(owner)
        .handle((record, failure) -> failure == null ? record : Optional.<ManagerRecord>empty())
        .thenAccept(this::connect);
  }

  private void connect(Optional<ManagerRecord> record) {
    boolean away = straying;
    straying = false;
    ManagerProcess server =
        managers.stream()
            .filter(m -> record.isPresent() && m.name().equals(record.get().address()) != away)
            .filter(m -> away || !network.misleads())
            .findFirst()
            .orElseGet(() -> owner.world().chance().pick(managers));
    Link fresh = new Link(owner.world(), network, owner, server);
    boolean[] answered = new boolean[1];
    fresh.toServer(
        () ->
            server.greet(
                fresh,
                welcome -> {
                  if (answered[0]) {
                    return;
                  }
                  answered[0] = true;
                  seeking = false;
                  if (welcome.isPresent()) {
                    seekings = 0;
                    link = fresh;
                    epoch = welcome.getAsLong();
                    pump();
                  } else {
                    seekAgain();
                  }
                }));
    owner.after(
        GREETING,
        () -> {
          if (!answered[0]) {
            answered[0] = true;
            fresh.breakOff();
            seeking = false;
            seekAgain();
          }
        });
  }

  private void seekAgain() {
    owner.after(SEEKING.delay(seekings++, owner.world().chance()), this::pump);
  }

  private void received(Link from, List<WireReply> replies) {
    if (link != from) {
      return;
    }
    for (WireReply reply : replies) {
      ManagerCall<?> call = underWay.remove(reply.id());
      if (call == null) {
        continue; // given up meanwhile
      }
      int retryAfterMillis = call.take(reply);
      if (retryAfterMillis != ManagerCall.ENDED) {
        owner.after(
            Duration.ofMillis(1L + retryAfterMillis),
            () -> {
              if (!call.isDone()) {
                toSend.add(call);
                pump();
              }
            });
      }
    }
  }
}
