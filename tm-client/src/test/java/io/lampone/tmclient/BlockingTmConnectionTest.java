package io.lampone.tmclient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.protocol.time.Clock;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import io.lampone.protocol.tm.TransactionManagerException;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.trust.Tag;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.GoAway;
import io.lampone.protocol.wire.Handshake;
import io.lampone.protocol.wire.Priority;
import io.lampone.protocol.wire.WireReply;
import io.lampone.protocol.wire.WireRequest;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What threads that wait ask by themselves, and what becomes of it when that does not work. */
@Timeout(180)
final class BlockingTmConnectionTest {

  private static final long START = 1L << 60;

  private ScriptedServer server;
  private TransactionManagerClient client;

  /** The ordinary connection. */
  private ScriptedServer.Talk ordinary;

  /** The second one. */
  private ScriptedServer.Talk line;

  private final List<Long> waits = new ArrayList<>();

  @BeforeEach
  void openBoth() throws Exception {
    server = new ScriptedServer();
    TransactionManagerClientConfig config =
        TransactionManagerClientConfig.builder()
            .connectTimeout(Duration.ofSeconds(20))
            .stallTimeout(Duration.ofSeconds(20))
            .requestTimeout(Duration.ofSeconds(20))
            .build();
    client = TransactionManagerClient.create(config, server.address());
    CompletableFuture<Begin> first = waitFor(client::beginHere);
    ordinary = server.next();
    ordinary.reply(begun(ordinary.request(), START));
    get(first);
    // Whoever waits next finds out that there is no line, and has it opened.
    CompletableFuture<Begin> second = waitFor(client::beginHere);
    ordinary.reply(begun(ordinary.request(), START + 256));
    get(second);
    line = openLine();
  }

  @AfterEach
  void stop() throws Exception {
    client.close();
    server.close();
  }

  @Test
  void whoWaitsIsAnsweredOnTheLine() throws Exception {
    CompletableFuture<Begin> begin = waitFor(client::beginHere);
    line.reply(begun(line.request(), START + 512));
    assertThat(get(begin))
        .isEqualTo(new Begin(START + 512, 256, Proofs.OPEN.grant(START + 512, 0)));

    CompletableFuture<Validation> validation =
        waitFor(until -> client.validateHere(request(), until));
    WireRequest.Validate asked = (WireRequest.Validate) line.request();
    assertThat(asked.request().startTimestamp()).isEqualTo(START);
    assertThat(asked.request().firstSending()).isTrue();
    assertThat(asked.request().check()).containsExactly(1);
    assertThat(asked.request().record()).containsExactly(2);
    line.reply(new WireReply.Validated(asked.id(), new Validation.Conflict(0, START + 256)));
    assertThat(get(validation)).isEqualTo(new Validation.Conflict(0, START + 256));
  }

  @Test
  void itCountsAsAnyOther() throws Exception {
    ClientStatistics before = client.statistics();
    CompletableFuture<Begin> begin = waitFor(client::beginHere);
    line.reply(begun(line.request(), START + 512));
    get(begin);
    ClientStatistics since = client.statistics().since(before);
    assertThat(since.frames()).isEqualTo(1);
    assertThat(since.requests()).isEqualTo(1);
    assertThat(since.answered()).isEqualTo(1);
    assertThat(since.waitedNanos()).isPositive();
  }

  @Test
  void whoDoesNotWaitIsAnsweredOnTheOrdinaryConnection() throws Exception {
    CompletableFuture<Begin> begin = client.begin();
    ordinary.reply(begun(ordinary.request(), START + 512));
    get(begin);
  }

  @Test
  void whoHasNoTimeLeftIsAnsweredOnTheOrdinaryConnection() throws Exception {
    CompletableFuture<Begin> begin = client.beginHere(System.nanoTime() - 1);
    ordinary.reply(begun(ordinary.request(), START + 512));
    get(begin);
  }

  /** It hears of the interrupt where it waits; on the line it would not. */
  @Test
  void whoHasBeenInterruptedIsAnsweredOnTheOrdinaryConnection() throws Exception {
    Thread.currentThread().interrupt();
    CompletableFuture<Begin> begin = client.beginHere(soon());
    assertThat(Thread.interrupted()).isTrue();
    ordinary.reply(begun(ordinary.request(), START + 512));
    get(begin);
  }

  /** Together they cost the server less. */
  @Test
  void whileOthersAskItGoesWithThem() throws Exception {
    CompletableFuture<Begin> other = client.begin();
    WireRequest first = ordinary.request();
    CompletableFuture<Begin> begin = waitFor(client::beginHere);
    WireRequest second = ordinary.request();
    ordinary.reply(begun(first, START + 512), begun(second, START + 768));
    get(other);
    get(begin);
  }

  @Test
  void onlyOneUsesTheLine() throws Exception {
    CompletableFuture<Begin> one = waitFor(client::beginHere);
    WireRequest first = line.request();
    CompletableFuture<Begin> two = waitFor(client::beginHere);
    ordinary.reply(begun(ordinary.request(), START + 512));
    get(two);
    line.reply(begun(first, START + 768));
    get(one);
  }

  @Test
  void aServerThatIsSilentIsAskedTheOrdinaryWay() throws Exception {
    CompletableFuture<Validation> validation =
        waitFor(until -> client.validateHere(request(), until));
    line.request();
    line.awaitEnd();
    answerRepeated(validation);
  }

  @Test
  void aLineThatBreaksDoesNotLoseTheRequest() throws Exception {
    CompletableFuture<Validation> validation =
        waitFor(until -> client.validateHere(request(), until));
    line.request();
    line.hangUp();
    answerRepeated(validation);
  }

  @Test
  void aLineThatHadBrokenBeforeDoesNotLoseTheRequest() throws Exception {
    line.hangUp();
    CompletableFuture<Validation> validation =
        waitFor(until -> client.validateHere(request(), until));
    answerRepeated(validation);
  }

  @Test
  void aReplyToAnotherRequestIsNoAnswer() throws Exception {
    CompletableFuture<Validation> validation =
        waitFor(until -> client.validateHere(request(), until));
    WireRequest asked = line.request();
    line.reply(
        new WireReply.Validated(asked.id() + 1, new Validation.Passed(START + 512, Tag.NONE)));
    line.awaitEnd();
    answerRepeated(validation);
  }

  @Test
  void aReplyOfAnotherKindIsNoAnswer() throws Exception {
    CompletableFuture<Validation> validation =
        waitFor(until -> client.validateHere(request(), until));
    line.reply(begun(line.request(), START + 512));
    line.awaitEnd();
    answerRepeated(validation);
  }

  @Test
  void whatIsNoReplyIsNoAnswer() throws Exception {
    CompletableFuture<Validation> validation =
        waitFor(until -> client.validateHere(request(), until));
    line.request();
    line.babble(new byte[64]);
    line.awaitEnd();
    answerRepeated(validation);
  }

  /** It was not executed: so it is no repetition. And who is overloaded is not asked twice over. */
  @Test
  void aServerWithTooMuchToDoIsAskedTheOrdinaryWay() throws Exception {
    CompletableFuture<Validation> validation =
        waitFor(until -> client.validateHere(request(), until));
    line.reply(
        new WireReply.Validated(
            line.request().id(), new Validation.Refused(Validator.Reason.OVERLOADED, 10)));
    WireRequest.Validate again = (WireRequest.Validate) ordinary.request();
    assertThat(again.request().firstSending()).isTrue();
    ordinary.reply(
        new WireReply.Validated(again.id(), new Validation.Passed(START + 512, Tag.NONE)));
    assertThat(get(validation)).isEqualTo(new Validation.Passed(START + 512, Tag.NONE));
  }

  @Test
  void aBeginThatWasRefusedIsAskedTheOrdinaryWay() throws Exception {
    CompletableFuture<Begin> begin = waitFor(client::beginHere);
    line.reply(new WireReply.Failed(line.request().id(), WireReply.Failure.OVERLOADED, 10));
    ordinary.reply(begun(ordinary.request(), START + 512));
    assertThat(get(begin).startTimestamp()).isEqualTo(START + 512);
  }

  /** A refusal for good is the answer. */
  @Test
  void aRefusalThatStandsIsTheAnswer() throws Exception {
    CompletableFuture<Validation> validation =
        waitFor(until -> client.validateHere(request(), until));
    Validation refused = new Validation.Refused(Validator.Reason.BELOW_FLOOR, 0);
    line.reply(new WireReply.Validated(line.request().id(), refused));
    assertThat(get(validation)).isEqualTo(refused);
  }

  @Test
  void aRequestThatFitsIntoNoFrameIsToldAsEver() {
    CompletableFuture<Validation> validation =
        waitFor(
            until ->
                client.validateHere(
                    new Validator.Request(
                        START, Proofs.OPEN.grant(START, 0), true, new long[1000], new long[1000]),
                    until));
    assertThatThrownBy(() -> get(validation))
        .hasRootCauseInstanceOf(TransactionManagerException.class)
        .hasRootCauseMessage(tooLong(16055));
  }

  @Test
  void aLineThatWasLostOpensAgain() throws Exception {
    line.hangUp();
    get(answered(waitFor(client::beginHere)));
    openAnother(ScriptedServer.MAX_FRAME_BYTES);
    whoWaitsIsAnsweredOnTheLine();
  }

  @Test
  void itCarriesPriorities() throws Exception {
    line.hangUp();
    get(answered(waitFor(client::beginHere)));
    openAnother(ScriptedServer.MAX_FRAME_BYTES);
    CompletableFuture<Begin> begin = waitFor(client.withPriority(Priority.BATCH)::beginHere);
    WireRequest request = line.request();
    assertThat(line.firstPriority()).isEqualTo(Priority.BATCH.code());
    line.reply(begun(request, START + 512));
    get(begin);
  }

  /** A write that waits for a server which does not read has no deadline. */
  @Test
  void aLongRequestIsNotForTheLineWhateverTheServerTakes() throws Exception {
    line.hangUp();
    get(answered(waitFor(client::beginHere)));
    openAnother(1 << 20);
    CompletableFuture<Validation> validation =
        waitFor(
            until ->
                client.validateHere(
                    new Validator.Request(
                        START, Proofs.OPEN.grant(START, 0), true, new long[600], new long[600]),
                    until));
    // Told by the ordinary connection, whose server takes less.
    assertThatThrownBy(() -> get(validation)).hasRootCauseMessage(tooLong(9655));
    whoWaitsIsAnsweredOnTheLine();
  }

  /** Else a server that pauses now and then would be connected to by everybody after each. */
  @Test
  void aLineThatWasLostDoesNotOpenAgainAtOnce() throws Exception {
    for (int i = 0; i < 3; i++) {
      line.hangUp();
      get(answered(waitFor(client::beginHere)));
      long lost = System.nanoTime();
      openAnother(ScriptedServer.MAX_FRAME_BYTES);
      waits.add(System.nanoTime() - lost);
    }
    // Drawn from one, two and four seconds; all three below 20 ms is one in a million.
    assertThat(waits).anyMatch(nanos -> nanos > TimeUnit.MILLISECONDS.toNanos(20));
  }

  /** On a clock that stands, a pause would never end. */
  @Test
  void whatOneServerDoesLateDoesNotHoldUpTheNext() throws Exception {
    TransactionManagerClientConfig config = TransactionManagerClientConfig.builder().build();
    try (ServerSocket old = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        BlockingTmConnection alone = new BlockingTmConnection(config, standing())) {
      alone.moveTo(Optional.of(new InetSocketAddress(old.getInetAddress(), old.getLocalPort())));
      ask(alone);
      try (Socket unanswered = old.accept()) {
        alone.moveTo(Optional.of(server.socketAddress()));
        unanswered.setSoLinger(true, 0);
      }
      CompletableFuture<ScriptedServer.Talk> opened =
          CompletableFuture.supplyAsync(this::connected);
      while (!opened.isDone()) {
        ask(alone);
        TimeUnit.MILLISECONDS.sleep(1);
      }
    }
  }

  private static Clock standing() {
    return new Clock() {
      @Override
      public long wallMillis() {
        return 0;
      }

      @Override
      public long monotonicNanos() {
        return 0;
      }
    };
  }

  /** Has the line opened, if it is not. */
  private void ask(BlockingTmConnection asked) {
    long deadlineNanos = TimeUnit.SECONDS.toNanos(1);
    assertThat(asked.begin(Priority.DEFAULT, deadlineNanos)).isEmpty();
  }

  @Test
  void itIsClosedWhenThePrimaryTakesLeave() throws Exception {
    ordinary.say(new GoAway(GoAway.Reason.STOPPING, ""));
    line.awaitEnd();
  }

  @Test
  void itIsClosedWhenTheOrdinaryConnectionIsLost() throws Exception {
    ordinary.hangUp();
    line.awaitEnd();
  }

  @Test
  void itIsClosedWithTheClient() throws Exception {
    client.close();
    line.awaitEnd();
    assertThatThrownBy(() -> get(waitFor(client::beginHere)))
        .hasRootCauseInstanceOf(TransactionManagerException.class);
  }

  private ScriptedServer.Talk openLine() throws Exception {
    ScriptedServer.Talk opened = server.next();
    awaitConnections(2);
    return opened;
  }

  /** Has the line opened again. Not greeted before nobody asks: it would be asked on the line. */
  private void openAnother(int maxFrameBytes) throws Exception {
    long connections = client.statistics().connections();
    CompletableFuture<ScriptedServer.Talk> opened = CompletableFuture.supplyAsync(this::connected);
    while (!opened.isDone()) {
      get(answered(waitFor(client::beginHere)));
    }
    line = opened.get();
    long offered = Handshake.Hello.readFrom(line.read()).capabilities();
    assertThat(Capabilities.has(offered, Capabilities.PRIORITY)).isTrue();
    line.say(
        new Handshake.Welcome(
            1, Capabilities.PRIORITY, 1, maxFrameBytes, ScriptedServer.MAX_MESSAGES));
    awaitConnections(connections + 1);
  }

  private ScriptedServer.Talk connected() {
    try {
      return server.nextUngreeted();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static String tooLong(int bytes) {
    return "the transaction writes too much for one request to the transaction manager: split it, or"
        + " raise lampone.tm.max.frame.bytes there, bytes="
        + bytes
        + " limit=4096";
  }

  private void awaitConnections(long wanted) throws Exception {
    while (client.statistics().connections() < wanted) {
      TimeUnit.MILLISECONDS.sleep(1);
    }
  }

  private CompletableFuture<Begin> answered(CompletableFuture<Begin> begin) throws Exception {
    ordinary.reply(begun(ordinary.request(), START + 512));
    return begin;
  }

  private void answerRepeated(CompletableFuture<Validation> validation) throws Exception {
    WireRequest.Validate again = (WireRequest.Validate) ordinary.request();
    assertThat(again.request().firstSending()).isFalse();
    ordinary.reply(
        new WireReply.Validated(again.id(), new Validation.Passed(START + 512, Tag.NONE)));
    assertThat(get(validation)).isEqualTo(new Validation.Passed(START + 512, Tag.NONE));
  }

  /** Asks on a thread that waits. */
  private <T> CompletableFuture<T> waitFor(LongFunction<CompletableFuture<T>> question) {
    return CompletableFuture.supplyAsync(() -> question.apply(soon()))
        .thenCompose(answer -> answer);
  }

  private static long soon() {
    return System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
  }

  private static Validator.Request request() {
    return new Validator.Request(
        START, Proofs.OPEN.grant(START, 0), true, new long[] {1}, new long[] {2});
  }

  private static WireReply begun(WireRequest request, long start) {
    return new WireReply.Begun(request.id(), new Begin(start, 256, Proofs.OPEN.grant(start, 0)));
  }

  private static <T> T get(CompletableFuture<T> future)
      throws InterruptedException, ExecutionException, TimeoutException {
    return future.get(20, TimeUnit.SECONDS);
  }
}
