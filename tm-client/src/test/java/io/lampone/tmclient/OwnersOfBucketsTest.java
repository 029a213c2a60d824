package io.lampone.tmclient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.lampone.protocol.tm.BucketMap;
import io.lampone.protocol.tm.StatusSource;
import io.lampone.protocol.tm.TransactionManagerException;
import io.lampone.protocol.tm.TransactionManagerException.Kind;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.Command;
import io.lampone.protocol.wire.Handshake;
import io.lampone.protocol.wire.WireReply;
import io.lampone.protocol.wire.WireRequest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The owners of the buckets are fetched on the connection of the requests. */
@Timeout(180)
final class OwnersOfBucketsTest {

  private static final String OF_PRIMARY = BucketMap.OF_PRIMARY.encode();

  private ScriptedServer server;
  private TransactionManagerClient client;

  @BeforeEach
  void start() throws Exception {
    server = new ScriptedServer();
    client =
        TransactionManagerClient.create(
            TransactionManagerClientConfig.builder()
                .backoffCap(Duration.ofMillis(20))
                .connectTimeout(Duration.ofMinutes(1))
                .requestTimeout(Duration.ofMinutes(1))
                .stallTimeout(Duration.ofMinutes(1))
                .build(),
            server.address());
  }

  @AfterEach
  void stop() throws Exception {
    client.close();
    server.close();
  }

  @Test
  void callersShareARequest_beforeAndAfterOthersOnTheSameConnection() throws Exception {
    CompletableFuture<?> first = client.status(1L << 60, 1L << 61);
    CompletableFuture<BucketMap> map = client.buckets();
    CompletableFuture<BucketMap> shared = client.buckets();
    CompletableFuture<?> second = client.status(1L << 60, 1L << 61);
    ScriptedServer.Talk talk = greeted(Capabilities.BUCKETS);
    WireRequest before = talk.request();
    long asked = command(talk);
    WireRequest after = talk.request();
    // Answers may come in any order.
    talk.reply(status(after));
    talk.say(new Command.Result(asked, true, OF_PRIMARY));
    talk.reply(status(before));
    assertThat(get(map)).isEqualTo(BucketMap.OF_PRIMARY);
    assertThat(get(shared)).isEqualTo(BucketMap.OF_PRIMARY);
    get(first);
    get(second);

    CompletableFuture<BucketMap> again = client.buckets();
    talk.say(new Command.Result(command(talk), true, OF_PRIMARY));
    assertThat(get(again)).isEqualTo(BucketMap.OF_PRIMARY);
  }

  @Test
  void aRequestWhoseConnectionIsLostIsSentAgain() throws Exception {
    CompletableFuture<BucketMap> map = client.buckets();
    ScriptedServer.Talk lost = greeted(Capabilities.BUCKETS);
    command(lost);
    lost.hangUp();
    ScriptedServer.Talk talk = greeted(Capabilities.BUCKETS);
    talk.say(new Command.Result(command(talk), true, OF_PRIMARY));
    assertThat(get(map)).isEqualTo(BucketMap.OF_PRIMARY);
  }

  @Test
  void aRefusalIsReported_andTextThatIsNoMap() throws Exception {
    CompletableFuture<BucketMap> refused = client.buckets();
    ScriptedServer.Talk talk = greeted(Capabilities.BUCKETS);
    talk.say(new Command.Result(command(talk), false, "not the primary"));
    assertThat(failure(refused).kind()).isEqualTo(Kind.UNAVAILABLE);
    assertThat(failure(refused)).hasMessageContaining("not the primary");

    CompletableFuture<BucketMap> unreadable = client.buckets();
    talk.say(new Command.Result(command(talk), true, "{}"));
    assertThat(failure(unreadable).kind()).isEqualTo(Kind.INCOMPATIBLE);

    CompletableFuture<?> status = client.status(1L << 60, 1L << 61);
    talk.reply(status(talk.request()));
    get(status);
  }

  /** The result of another command ends the connection; the request is sent again. */
  @Test
  void aResultThatAnswersAnotherRequestEndsTheConnection() throws Exception {
    CompletableFuture<?> status = client.status(1L << 60, 1L << 61);
    ScriptedServer.Talk talk = greeted(Capabilities.BUCKETS);
    talk.say(new Command.Result(talk.request().id(), true, OF_PRIMARY));
    talk.awaitEnd();
    ScriptedServer.Talk next = greeted(Capabilities.BUCKETS);
    next.reply(status(next.request()));
    get(status);
  }

  @Test
  void anOlderServerIsNotAsked() throws Exception {
    CompletableFuture<BucketMap> map = client.buckets();
    greeted(Capabilities.PROGRESS);
    assertThat(failure(map).kind()).isEqualTo(Kind.INCOMPATIBLE);
  }

  private static long command(ScriptedServer.Talk talk) throws Exception {
    Command command = Command.readFrom(talk.read());
    assertThat(command.name()).isEqualTo(Command.OWNERS_OF_BUCKETS);
    return command.id();
  }

  private static WireReply status(WireRequest request) {
    return new WireReply.StatusIs(request.id(), new StatusSource.Status.NotRequested());
  }

  private ScriptedServer.Talk greeted(long capabilities) throws Exception {
    ScriptedServer.Talk talk = server.nextUngreeted();
    Handshake.Hello.readFrom(talk.read());
    talk.say(
        new Handshake.Welcome(
            1, capabilities, 1, ScriptedServer.MAX_FRAME_BYTES, ScriptedServer.MAX_MESSAGES));
    return talk;
  }

  private static TransactionManagerException failure(CompletableFuture<?> future) {
    return (TransactionManagerException)
        catchThrowableOfType(ExecutionException.class, () -> get(future)).getCause();
  }

  private static <T> T get(CompletableFuture<T> future) throws Exception {
    return future.get(20, TimeUnit.SECONDS);
  }
}
