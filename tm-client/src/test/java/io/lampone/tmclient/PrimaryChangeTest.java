package io.lampone.tmclient;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.tm.TimestampOracle.Begin;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.trust.Tag;
import io.lampone.protocol.wire.GoAway;
import io.lampone.protocol.wire.WireReply;
import io.lampone.protocol.wire.WireRequest;
import io.lampone.tmclient.discovery.AddressSource;
import io.lampone.tmclient.discovery.PrimaryAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** From one primary to the next. */
@Timeout(180)
final class PrimaryChangeTest {

  private static final long START = 1L << 60;

  private ScriptedServer old;
  private ScriptedServer successor;
  private Record source;
  private TransactionManagerClient client;

  @BeforeEach
  void start() throws Exception {
    old = new ScriptedServer();
    successor = new ScriptedServer();
    source = new Record(old);
    // So slow to stall and to come back that only what is tested here can be the reason.
    client = client(Duration.ofSeconds(20));
  }

  @AfterEach
  void stop() throws Exception {
    client.close();
    old.close();
    successor.close();
  }

  @Test
  void whatWasUnansweredAtTheGoodbyeIsAskedAtTheNextAddressAtOnce() throws Exception {
    CompletableFuture<Begin> answered = client.begin();
    ScriptedServer.Talk leaving = old.next();
    WireRequest first = leaving.request();
    CompletableFuture<Validation> unanswered = client.validate(request());
    leaving.request();
    CompletableFuture<Begin> alsoUnanswered = client.begin();
    leaving.request();
    leaving.reply(begun(first, START));
    // The record still names the old one: only the goodbye knows better.
    leaving.say(
        new GoAway(GoAway.Reason.HANDED_OVER, "127.0.0.1:" + successor.socketAddress().getPort()));
    assertThat(get(answered).startTimestamp()).isEqualTo(START);
    leaving.awaitEnd();

    ScriptedServer.Talk next = successor.next();
    WireRequest.Validate again = (WireRequest.Validate) next.requests().get(0);
    assertThat(again.request().firstSending()).isFalse();
    next.reply(
        new WireReply.Validated(again.id(), new Validation.Passed(START + 512, Tag.NONE)),
        begun(new WireRequest.Begin(again.id() + 1), START + 768));
    assertThat(get(unanswered)).isEqualTo(new Validation.Passed(START + 512, Tag.NONE));
    assertThat(get(alsoUnanswered).startTimestamp()).isEqualTo(START + 768);
  }

  /** However often: it is no sign that the request is poisonous. */
  @Test
  void whatGoodbyesSendBackStillTravelsTogether() throws Exception {
    CompletableFuture<Begin> one = client.begin();
    ScriptedServer.Talk talk = old.next();
    talk.request();
    CompletableFuture<Begin> two = client.begin();
    talk.request();
    for (int i = 0; i < 4; i++) {
      ScriptedServer to = i % 2 == 0 ? successor : old;
      talk.say(new GoAway(GoAway.Reason.HANDED_OVER, "127.0.0.1:" + to.socketAddress().getPort()));
      talk = to.next();
      var batch = talk.requests();
      assertThat(batch).hasSize(2);
      if (i == 3) {
        talk.reply(begun(batch.get(0), START), begun(batch.get(1), START + 256));
      }
    }
    get(one);
    get(two);
  }

  @Test
  void aGoodbyeWithoutAnAddressLeadsToWhatTheRecordSays() throws Exception {
    CompletableFuture<Begin> begin = client.begin();
    ScriptedServer.Talk leaving = old.next();
    leaving.request();
    source.move(successor);
    leaving.say(new GoAway(GoAway.Reason.STOPPING, ""));
    ScriptedServer.Talk next = successor.next();
    next.reply(begun(next.request(), START));
    get(begin);
  }

  @Test
  void aGoodbyeToAnAddressWhereNobodyListensLeadsToWhatTheRecordSays() throws Exception {
    CompletableFuture<Begin> begin = client.begin();
    ScriptedServer.Talk leaving = old.next();
    leaving.request();
    source.move(successor);
    leaving.say(new GoAway(GoAway.Reason.HANDED_OVER, "127.0.0.1:1"));
    ScriptedServer.Talk next = successor.next();
    next.reply(begun(next.request(), START));
    get(begin);
  }

  @Test
  void aGoodbyeTakesAnIdleClientAlong() throws Exception {
    CompletableFuture<Begin> begin = client.begin();
    ScriptedServer.Talk leaving = old.next();
    leaving.reply(begun(leaving.request(), START));
    get(begin);
    leaving.say(
        new GoAway(GoAway.Reason.HANDED_OVER, "127.0.0.1:" + successor.socketAddress().getPort()));
    successor.next();
  }

  @Test
  void aSilentServerIsLeftAsSoonAsThereIsAnotherPrimary() throws Exception {
    CompletableFuture<Begin> begin = client.begin();
    ScriptedServer.Talk silent = old.next();
    silent.request();
    source.watched.get(60, TimeUnit.SECONDS);
    source.move(successor);
    ScriptedServer.Talk next = successor.next();
    silent.awaitEnd();
    next.reply(begun(next.request(), START));
    get(begin);
  }

  /** A stopped process still has its connections accepted, by the kernel. */
  @Test
  void aServerThatAcceptsButDoesNotGreetIsLeftAsSoonAsThereIsAnotherPrimary() throws Exception {
    CompletableFuture<Begin> begin = client.begin();
    ScriptedServer.Talk mute = old.nextUngreeted();
    source.watched.get(60, TimeUnit.SECONDS);
    source.move(successor);
    ScriptedServer.Talk next = successor.next();
    mute.awaitEnd();
    next.reply(begun(next.request(), START));
    get(begin);
  }

  @Test
  void aClientThatGetsAnswersDoesNotAskTheRecord() throws Exception {
    CompletableFuture<Begin> begin = client.begin();
    ScriptedServer.Talk talk = old.next();
    talk.reply(begun(talk.request(), START));
    get(begin);
    for (int i = 1; i <= 20; i++) {
      CompletableFuture<Begin> next = client.begin();
      talk.reply(begun(talk.request(), START + i * 256L));
      get(next);
    }
    assertThat(source.watched).isNotDone();
    assertThat(source.found).isEqualTo(1);
  }

  /** What the answer says was not executed may go again as it was. */
  @Test
  void aRefusalBecauseOfOverloadIsNoSending() throws Exception {
    CompletableFuture<Validation> validation = client.validate(request());
    ScriptedServer.Talk talk = old.next();
    for (int i = 0; i < 3; i++) {
      WireRequest.Validate asked = (WireRequest.Validate) talk.request();
      assertThat(asked.request().firstSending()).isTrue();
      talk.reply(
          new WireReply.Validated(
              asked.id(), new Validation.Refused(Validator.Reason.OVERLOADED, 1)));
    }
    talk.request();
    talk.hangUp();
    source.move(successor);
    ScriptedServer.Talk next = successor.next();
    WireRequest.Validate again = (WireRequest.Validate) next.request();
    assertThat(again.request().firstSending()).isFalse();
    // From now on for good, whatever is refused.
    next.reply(
        new WireReply.Validated(
            again.id(), new Validation.Refused(Validator.Reason.OVERLOADED, 1)));
    again = (WireRequest.Validate) next.request();
    assertThat(again.request().firstSending()).isFalse();
    next.reply(
        new WireReply.Validated(again.id(), new Validation.Refused(Validator.Reason.FORGOTTEN, 0)));
    assertThat(get(validation)).isEqualTo(new Validation.Refused(Validator.Reason.FORGOTTEN, 0));
  }

  private TransactionManagerClient client(Duration stallTimeout) {
    return TransactionManagerClient.create(
        TransactionManagerClientConfig.builder()
            .requestTimeout(Duration.ofSeconds(20))
            .connectTimeout(Duration.ofSeconds(20))
            .stallTimeout(stallTimeout)
            .build(),
        source);
  }

  private static Validator.Request request() {
    return new Validator.Request(
        START, Proofs.OPEN.grant(START, 0), true, new long[] {7}, new long[] {7});
  }

  private static WireReply begun(WireRequest request, long start) {
    return new WireReply.Begun(request.id(), new Begin(start, 256, Proofs.OPEN.grant(start, 0)));
  }

  private static <T> T get(CompletableFuture<T> future) throws Exception {
    return future.get(60, TimeUnit.SECONDS);
  }

  /** A record that a test moves. */
  private static final class Record implements AddressSource {

    /** Completes when somebody begins to listen for news. */
    final CompletableFuture<Void> watched = new CompletableFuture<>();

    private final AtomicReference<PrimaryAddress> primary;
    private final AtomicReference<CompletableFuture<Void>> watch =
        new AtomicReference<>(new CompletableFuture<>());
    private volatile int found;

    Record(ScriptedServer first) {
      primary = new AtomicReference<>(new PrimaryAddress(first.socketAddress(), 1));
    }

    void move(ScriptedServer to) {
      primary.set(new PrimaryAddress(to.socketAddress(), primary.get().epoch() + 1));
      watch.get().complete(null);
    }

    @Override
    public synchronized CompletableFuture<Optional<PrimaryAddress>> find() {
      found++;
      return CompletableFuture.completedFuture(Optional.of(primary.get()));
    }

    @Override
    public CompletableFuture<Void> whenMoved(Optional<PrimaryAddress> from) {
      CompletableFuture<Void> asked = new CompletableFuture<>();
      watch.set(asked);
      if (from.map(primary.get()::succeeds).orElse(true)) {
        asked.complete(null);
      }
      watched.complete(null);
      return asked;
    }
  }
}
