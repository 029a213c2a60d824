package io.lampone.tmclient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.protocol.tm.StatusSource.Status;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import io.lampone.protocol.tm.TransactionManagerException;
import io.lampone.protocol.tm.TransactionManagerException.Kind;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.trust.Tag;
import io.lampone.protocol.wire.Handshake;
import io.lampone.protocol.wire.WireReply;
import io.lampone.protocol.wire.WireRequest;
import io.lampone.tmclient.discovery.AddressSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
final class TransactionManagerClientTest {

  private static final long START = 1L << 60;

  private ScriptedServer server;
  private TransactionManagerClient client;

  @BeforeEach
  void start() throws Exception {
    server = new ScriptedServer();
    client = client(config());
  }

  @AfterEach
  void stop() throws Exception {
    client.close();
    server.close();
  }

  @Test
  void eachKindOfReplyReachesItsCaller() throws Exception {
    CompletableFuture<Begin> begin = client.begin();
    ScriptedServer.Talk talk = server.next();
    WireRequest request = talk.request();
    assertThat(request).isInstanceOf(WireRequest.Begin.class);
    talk.reply(begun(request, START));
    assertThat(get(begin)).isEqualTo(new Begin(START, 256, Proofs.OPEN.grant(START, 0)));

    CompletableFuture<Validation> validation = client.validate(request(START));
    request = talk.request();
    talk.reply(new WireReply.Validated(request.id(), new Validation.Conflict(0, START + 256)));
    assertThat(get(validation)).isEqualTo(new Validation.Conflict(0, START + 256));

    CompletableFuture<Status> status = client.status(START, 0);
    request = talk.request();
    talk.reply(new WireReply.StatusIs(request.id(), new Status.Conflict(Tag.NONE)));
    assertThat(get(status)).isEqualTo(new Status.Conflict(Tag.NONE));
  }

  /** Trap A10: one request that timed out must not shift the replies of all later ones. */
  @Test
  void aReplyThatComesTooLateIsDropped() throws Exception {
    client.close();
    client =
        client(config().requestTimeout(Duration.ofSeconds(3)).stallTimeout(Duration.ofMinutes(1)));
    CompletableFuture<Begin> first = client.begin();
    ScriptedServer.Talk talk = server.next();
    WireRequest late = talk.request();
    assertThat(failure(first).kind()).isEqualTo(Kind.UNAVAILABLE);

    CompletableFuture<Begin> second = client.begin();
    WireRequest request = talk.request();
    assertThat(request.id()).isGreaterThan(late.id());
    talk.reply(begun(late, START));
    talk.reply(begun(request, START + 256));
    assertThat(get(second).startTimestamp()).isEqualTo(START + 256);
  }

  /** Finding R12. */
  @Test
  void aSecondReplyIsDropped() throws Exception {
    CompletableFuture<Begin> first = client.begin();
    ScriptedServer.Talk talk = server.next();
    WireRequest one = talk.request();
    talk.reply(begun(one, START), begun(one, START + 256));
    assertThat(get(first).startTimestamp()).isEqualTo(START);
    CompletableFuture<Begin> second = client.begin();
    WireRequest two = talk.request();
    talk.reply(begun(one, START + 512), begun(two, START + 768));
    assertThat(get(second).startTimestamp()).isEqualTo(START + 768);
  }

  /** Trap A9: the id of a request is never used again, on whatever connection. */
  @Test
  void aLostConnectionIsReplacedAndEverythingAskedAgainUnderFreshIds() throws Exception {
    CompletableFuture<Begin> begin = client.begin();
    ScriptedServer.Talk first = server.next();
    WireRequest lost = first.request();
    first.hangUp();
    ScriptedServer.Talk second = server.next();
    WireRequest again = second.request();
    assertThat(again.id()).isGreaterThan(lost.id());
    second.reply(begun(lost, START), begun(again, START + 256));
    assertThat(get(begin).startTimestamp()).isEqualTo(START + 256);
  }

  /** Finding M4: only the first sending may claim to be it. */
  @Test
  void aValidationThatMayHaveBeenDecidedIsMarkedAsRepeated() throws Exception {
    CompletableFuture<Validation> validation = client.validate(request(START));
    ScriptedServer.Talk first = server.next();
    assertThat(((WireRequest.Validate) first.request()).request().firstSending()).isTrue();
    first.hangUp();
    ScriptedServer.Talk second = server.next();
    WireRequest.Validate again = (WireRequest.Validate) second.request();
    assertThat(again.request().firstSending()).isFalse();
    assertThat(again.request().check()).containsExactly(7);
    second.reply(new WireReply.Validated(again.id(), new Validation.Passed(START + 256, Tag.NONE)));
    assertThat(get(validation)).isEqualTo(new Validation.Passed(START + 256, Tag.NONE));
  }

  @Test
  void aValidationThatHasNeverLeftIsAFirstSendingOnWhateverConnection() throws Exception {
    CompletableFuture<Validation> validation = client.validate(request(START));
    server.nextUngreeted().hangUp();
    ScriptedServer.Talk talk = server.next();
    WireRequest.Validate asked = (WireRequest.Validate) talk.request();
    assertThat(asked.request().firstSending()).isTrue();
    talk.reply(new WireReply.Validated(asked.id(), new Validation.Passed(START + 256, Tag.NONE)));
    get(validation);
  }

  @Test
  void aServerThatFallsSilentIsLeft() throws Exception {
    client.close();
    client = client(config().stallTimeout(Duration.ofSeconds(2)));
    CompletableFuture<Begin> begin = client.begin();
    ScriptedServer.Talk silent = server.next();
    silent.request();
    ScriptedServer.Talk other = server.next();
    silent.awaitEnd();
    other.reply(begun(other.request(), START));
    assertThat(get(begin).startTimestamp()).isEqualTo(START);
  }

  @Test
  void aServerThatAcceptsButNeverGreetsIsLeft() throws Exception {
    client.close();
    client = client(config().connectTimeout(Duration.ofSeconds(2)));
    CompletableFuture<Begin> begin = client.begin();
    ScriptedServer.Talk mute = server.nextUngreeted();
    ScriptedServer.Talk other = server.next();
    mute.awaitEnd();
    other.reply(begun(other.request(), START));
    get(begin);
  }

  @Test
  void aBackupIsAskedAgainLater() throws Exception {
    CompletableFuture<Begin> begin = client.begin();
    server
        .nextUngreeted()
        .say(new Handshake.Reject(Handshake.Reason.NOT_PRIMARY, 1, 1, "not the primary"));
    ScriptedServer.Talk talk = server.next();
    talk.reply(begun(talk.request(), START));
    get(begin);
  }

  @Test
  void aServerOfAnotherVersionIsNamed() throws Exception {
    CompletableFuture<Begin> begin = client.begin();
    server
        .nextUngreeted()
        .say(new Handshake.Reject(Handshake.Reason.VERSION, 7, 9, "no version in common"));
    TransactionManagerException failure = failure(begin);
    assertThat(failure.kind()).isEqualTo(Kind.INCOMPATIBLE);
    assertThat(failure).hasMessageContaining("clientVersions=1..1");
    assertThat(failure).hasMessageContaining("serverVersions=7..9");
  }

  @Test
  void aServerThatTalksNonsenseIsLeft() throws Exception {
    CompletableFuture<Begin> begin = client.begin();
    server.nextUngreeted().babble((byte) 'H', (byte) 'T', (byte) 'T', (byte) 'P', (byte) '/');
    ScriptedServer.Talk second = server.next();
    WireRequest request = second.request();
    // A reply of the wrong kind is nonsense too, and must not complete anything.
    second.reply(new WireReply.Validated(request.id(), new Validation.Passed(START, Tag.NONE)));
    ScriptedServer.Talk third = server.next();
    third.reply(begun(third.request(), START));
    assertThat(get(begin).startTimestamp()).isEqualTo(START);
  }

  @Test
  void anOverloadedServerIsAskedAgainWhenItSaysSo() throws Exception {
    CompletableFuture<Begin> begin = client.begin();
    ScriptedServer.Talk talk = server.next();
    WireRequest first = talk.request();
    talk.reply(new WireReply.Failed(first.id(), WireReply.Failure.OVERLOADED, 20));
    WireRequest second = talk.request();
    assertThat(second.id()).isGreaterThan(first.id());
    talk.reply(begun(second, START));
    get(begin);
  }

  @Test
  void aTimestampThatWasNeverIssuedIsTheCallersMistake() throws Exception {
    CompletableFuture<Status> status = client.status(START, 0);
    ScriptedServer.Talk talk = server.next();
    talk.reply(new WireReply.Failed(talk.request().id(), WireReply.Failure.BAD_TIMESTAMP, 0));
    assertThat(failure(status).kind()).isEqualTo(Kind.REJECTED);
    assertThatThrownBy(() -> client.status(START + 1, 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> client.validate(request(5)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void requestsThatWaitTravelTogetherAndNotMoreThanAllowed() throws Exception {
    client.close();
    client = client(config().maxBatchesInFlight(1));
    List<CompletableFuture<Begin>> begins = new ArrayList<>();
    begins.add(client.begin());
    ScriptedServer.Talk talk = server.next();
    WireRequest first = talk.request();
    for (int i = 0; i < 120; i++) {
      begins.add(client.begin());
    }
    talk.reply(begun(first, START));
    List<Integer> sizes = new ArrayList<>();
    long timestamp = START;
    for (int answered = 1; answered < begins.size(); ) {
      List<WireRequest> batch = talk.requests();
      sizes.add(batch.size());
      answered += batch.size();
      List<WireReply> replies = new ArrayList<>();
      for (WireRequest request : batch) {
        timestamp += 256;
        replies.add(begun(request, timestamp));
      }
      talk.reply(replies.toArray(WireReply[]::new));
    }
    assertThat(sizes).allMatch(size -> size <= ScriptedServer.MAX_MESSAGES).hasSizeLessThan(10);
    for (CompletableFuture<Begin> begin : begins) {
      get(begin);
    }
  }

  /** Else client and server work in turns: one frame holds nearly all, the others next to none. */
  @Test
  void noFrameHoldsMoreThanItsShareOfThoseWhoAskAgainAndAgain() throws Exception {
    int callers = 160;
    int share = callers / 4;
    assertThat(share).isBetween(Dispatcher.LEAST_SHARE, ScriptedServer.MAX_MESSAGES - 1);
    for (int i = 0; i < callers; i++) {
      askAgainAndAgain(client);
    }
    ScriptedServer.Talk talk = server.next();
    long timestamp = START;
    List<Integer> sizes = new ArrayList<>();
    for (int frame = 0; frame < 50; frame++) {
      List<WireReply> replies = new ArrayList<>();
      for (WireRequest request : talk.requests()) {
        timestamp += 256;
        replies.add(begun(request, timestamp));
      }
      sizes.add(replies.size());
      talk.reply(replies.toArray(WireReply[]::new));
    }
    assertThat(sizes).allMatch(size -> size <= share).contains(share);
  }

  private static void askAgainAndAgain(TransactionManagerClient client) {
    client
        .begin()
        .whenComplete(
            (begun, failure) -> {
              if (failure == null) {
                askAgainAndAgain(client);
              }
            });
  }

  @Test
  void aRequestThatNoFrameHoldsIsRefusedWithTheLimit() throws Exception {
    long[] many = new long[ScriptedServer.MAX_FRAME_BYTES / Long.BYTES];
    CompletableFuture<Validation> tooLong =
        client.validate(
            new Validator.Request(START, Proofs.OPEN.grant(START, 0), true, many, many));
    CompletableFuture<Begin> next = client.begin();
    ScriptedServer.Talk talk = server.next();
    assertThat(failure(tooLong).kind()).isEqualTo(Kind.TOO_LARGE);
    assertThat(failure(tooLong)).hasMessageContaining("limit=" + ScriptedServer.MAX_FRAME_BYTES);
    talk.reply(begun(talk.request(), START));
    get(next);
  }

  /** One request that makes the server hang up must not take the others down with it for ever. */
  @Test
  void aRequestThatEndsConnectionsTravelsAloneAndIsGivenUpWhenItsTimeIsUp() throws Exception {
    client.close();
    client = client(config().requestTimeout(Duration.ofSeconds(8)));
    CompletableFuture<Status> poisonous = client.status(START, 0);
    CompletableFuture<Begin> innocent = client.begin();
    int lost = 0;
    while (!poisonous.isDone()) {
      ScriptedServer.Talk talk = server.next();
      boolean hungUp = false;
      // Its time may be up between a connection and its being sent on it.
      while (!hungUp && talk.awaitInput(poisonous::isDone)) {
        List<WireRequest> batch = talk.requests();
        if (batch.stream().anyMatch(WireRequest.Status.class::isInstance)) {
          assertThat(batch).as("losses=%d", lost).hasSizeLessThanOrEqualTo(lost < 2 ? 2 : 1);
          talk.hangUp();
          lost++;
          hungUp = true;
        } else {
          talk.reply(begun(batch.get(0), START));
        }
      }
      poisonous
          .exceptionally(failure -> null)
          .completeOnTimeout(null, 50, TimeUnit.MILLISECONDS)
          .join();
    }
    assertThat(get(innocent).startTimestamp()).isEqualTo(START);
    assertThat(failure(poisonous).kind()).isEqualTo(Kind.UNAVAILABLE);
    // More often than any number that the client might count to: only its deadline ends it.
    assertThat(lost).isGreaterThan(10);
    CompletableFuture<Begin> after = client.begin();
    ScriptedServer.Talk talk = server.next();
    talk.reply(begun(talk.request(), START));
    get(after);
  }

  @Test
  void whenNobodyIsThereTheCallFailsInTimeAndSaysWhatToDo() {
    client.close();
    client =
        TransactionManagerClient.create(
            config().requestTimeout(Duration.ofMillis(300)).build(),
            () -> CompletableFuture.completedFuture(Optional.empty()));
    TransactionManagerException failure = failure(client.begin());
    assertThat(failure.kind()).isEqualTo(Kind.UNAVAILABLE);
    assertThat(failure).hasMessageContaining("check that one runs");
    assertThat(failure).hasMessageContaining("there is no primary at the moment");
  }

  @Test
  void withoutZooKeeperTheCallFailsInTime() {
    client.close();
    client =
        TransactionManagerClient.connect(
            config().requestTimeout(Duration.ofMillis(300)).build(), "127.0.0.1:1", "/lampone");
    assertThat(failure(client.begin()).kind()).isEqualTo(Kind.UNAVAILABLE);
  }

  @Test
  void anAddressSourceThatFailsIsAskedAgain() throws Exception {
    client.close();
    AddressSource good = server.address();
    List<Integer> asked = new ArrayList<>();
    client =
        TransactionManagerClient.create(
            config().build(),
            () -> {
              asked.add(1);
              return asked.size() < 3
                  ? CompletableFuture.failedFuture(new IllegalStateException("no"))
                  : good.find();
            });
    CompletableFuture<Begin> begin = client.begin();
    ScriptedServer.Talk talk = server.next();
    talk.reply(begun(talk.request(), START));
    get(begin);
  }

  @Test
  void tooManyRequestsFailAtOnce() throws Exception {
    client.close();
    client = client(config().maxOutstanding(2));
    CompletableFuture<Begin> first = client.begin();
    client.begin();
    CompletableFuture<Begin> third = client.begin();
    assertThat(third).isCompletedExceptionally();
    assertThat(failure(third)).hasMessageContaining("limit=2");
    ScriptedServer.Talk talk = server.next();
    talk.reply(begun(talk.requests().get(0), START));
    get(first);
    assertThat(client.begin()).isNotCompletedExceptionally();
  }

  @Test
  void closingFailsWhatIsUnderWayAndLeavesNoThreadBehind() throws Exception {
    CompletableFuture<Begin> underWay = client.begin();
    server.next().request();
    CompletableFuture<Begin> other = client.begin();
    client.close();
    assertThat(failure(underWay).kind()).isEqualTo(Kind.CLOSED);
    assertThat(failure(other).kind()).isEqualTo(Kind.CLOSED);
    assertThat(failure(client.begin()).kind()).isEqualTo(Kind.CLOSED);
    client.close();
    assertThreadsEnd();
  }

  @Test
  void closingFromACallbackDoesNotHang() throws Exception {
    CompletableFuture<Void> closed = client.begin().thenAccept(begin -> client.close());
    ScriptedServer.Talk talk = server.next();
    talk.reply(begun(talk.request(), START));
    get(closed);
    assertThreadsEnd();
  }

  /** A thread that has said that it is done may be alive for a moment longer. */
  private static void assertThreadsEnd() throws InterruptedException {
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().startsWith("lampone-tm-client")) {
        thread.join(10_000);
        assertThat(thread.isAlive()).as("thread=%s", thread.getName()).isFalse();
      }
    }
  }

  private TransactionManagerClient client(TransactionManagerClientConfig.Builder config) {
    return TransactionManagerClient.create(config.build(), server.address());
  }

  private static TransactionManagerClientConfig.Builder config() {
    return TransactionManagerClientConfig.builder().backoffCap(Duration.ofMillis(20));
  }

  private static Validator.Request request(long start) {
    return new Validator.Request(
        start, Proofs.OPEN.grant(start, 0), true, new long[] {7}, new long[] {7});
  }

  private static WireReply begun(WireRequest request, long start) {
    return new WireReply.Begun(request.id(), new Begin(start, 256, Proofs.OPEN.grant(start, 0)));
  }

  private static <T> T get(CompletableFuture<T> future) throws Exception {
    return future.get(60, TimeUnit.SECONDS);
  }

  private static TransactionManagerException failure(CompletableFuture<?> future) {
    try {
      throw new AssertionError("succeeded: " + future.get(60, TimeUnit.SECONDS));
    } catch (ExecutionException | CompletionException e) {
      return (TransactionManagerException) e.getCause();
    } catch (InterruptedException | TimeoutException e) {
      throw new AssertionError(e);
    }
  }
}
