package io.lampone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;
import picocli.CommandLine;

/** Structure of the files for containers: three validators in compose and in Kubernetes. */
@SuppressWarnings("unchecked")
final class ContainersTest {

  private static final Path DOCKER = Path.of("..", "docker");
  private static final List<String> VALIDATORS = List.of("v1", "v2", "v3");

  @Test
  void composeStartsThreeValidatorsOfTheirOwnNamesOnTheNetworkOfTheCluster() throws IOException {
    Map<String, Object> cluster = map(load("cluster.yml").get(0));
    Map<String, Object> services = map(map(load("validators.yml").get(0)).get("services"));
    Map<String, Object> ofCluster = map(cluster.get("services"));
    assertThat(services.keySet()).containsExactlyInAnyOrder("v1", "v2", "v3", "shares");
    assertThat(ofCluster.keySet()).doesNotContainAnyElementsOf(services.keySet());
    services.forEach(
        (name, each) -> {
          Map<String, Object> service = map(each);
          assertThat(service)
              .as(name)
              .containsEntry("read_only", true)
              .containsEntry("cap_drop", List.of("ALL"))
              .containsEntry("networks", List.of("lampone"))
              .containsEntry("image", map(ofCluster.get("tm1")).get("image"))
              .containsKeys("mem_limit", "stop_grace_period");
          assertThat(ofCluster.keySet()).containsAll(map(service.get("depends_on")).keySet());
        });
    for (String name : VALIDATORS) {
      Map<String, Object> service = map(services.get(name));
      List<String> command = new ArrayList<>((List<String>) service.get("command"));
      assertThat(service).containsEntry("hostname", name);
      assertThat(command).containsSequence("run", "/secrets/" + name + ".properties");
      assertThat(command).containsSequence("--name", name);
      requireParsed(command);
      // Beside the settings of the transaction managers, from the same folder.
      assertThat(service.get("volumes")).isEqualTo(List.of("./secrets/lampone:/secrets:ro"));
      assertThat(Files.readString(DOCKER.resolve("secrets.sh")))
          .contains("for host in tm1 tm2 v1 v2 v3;");
    }
    requireShares(String.join(" ", (List<String>) map(services.get("shares")).get("command")));
  }

  @Test
  void everyClusterHasTheConsole_publishedToItsMachineOnly() throws IOException {
    Map<String, Object> cluster = map(map(load("cluster.yml").get(0)).get("services"));
    Map<String, Object> demo = map(map(load("demo.yml").get(0)).get("services"));
    Map<String, Object> secured = map(map(load("secured.yml").get(0)).get("services"));
    List<String> published = List.of("127.0.0.1:17312:17312");
    assertThat(map(cluster.get("console"))).containsEntry("ports", published);
    assertThat(map(demo.get("console"))).containsEntry("network_mode", "service:tm");
    assertThat(map(demo.get("tm"))).containsEntry("ports", published);
    assertThat((List<String>) map(secured.get("console")).get("command"))
        .contains("--token-file")
        .doesNotContain("--open");
  }

  @Test
  void kubernetesRunsThreeValidatorsThatCanBeReachedByName() throws IOException {
    Map<String, Map<String, Object>> byKind = new LinkedHashMap<>();
    for (Object document : load("kubernetes/validators.yml")) {
      Map<String, Object> object = map(document);
      assertThat(object).containsKeys("apiVersion", "kind", "metadata", "spec");
      byKind.put((String) object.get("kind"), object);
    }
    assertThat(byKind.keySet())
        .containsExactly("Service", "StatefulSet", "Deployment", "PodDisruptionBudget");
    Map<String, Object> set = at(byKind.get("StatefulSet"), "spec");
    Map<String, Object> labels = at(set, "template", "metadata", "labels");
    assertThat(set).containsEntry("replicas", 3);
    assertThat(set.get("serviceName")).isEqualTo(name(byKind.get("Service")));
    assertThat(at(byKind.get("Service"), "spec")).containsEntry("clusterIP", "None");
    for (Map<String, Object> selector :
        List.of(
            at(byKind.get("Service"), "spec", "selector"),
            at(set, "selector", "matchLabels"),
            at(byKind.get("PodDisruptionBudget"), "spec", "selector", "matchLabels"))) {
      assertThat(labels).containsAllEntriesOf(selector);
    }
    Map<String, Object> validator =
        map(((List<?>) at(set, "template", "spec").get("containers")).get(0));
    List<String> arguments = (List<String>) validator.get("args");
    assertThat(arguments)
        .contains(
            "--name=$(POD_NAME)",
            "--set=lampone.tm.advertised.host=$(POD_NAME)." + name(byKind.get("Service")));
    assertThat(validator.get("env").toString()).contains("name=POD_NAME", "metadata.name");
    assertThat(validator.get("lifecycle").toString())
        .contains("lampone validator remove $POD_NAME --config");
    requireParsed(arguments);
    Map<String, Object> deployment = at(byKind.get("Deployment"), "spec");
    Map<String, Object> shares =
        map(((List<?>) at(deployment, "template", "spec").get("containers")).get(0));
    requireShares(String.join(" ", (List<String>) shares.get("command")));
    requireContained(at(set, "template", "spec"));
    requireContained(at(deployment, "template", "spec"));
  }

  /** No root, no capability, no writable root file system; each mount has its volume. */
  private static void requireContained(Map<String, Object> pod) {
    assertThat(pod).containsEntry("automountServiceAccountToken", false);
    assertThat(map(pod.get("securityContext")))
        .containsEntry("runAsNonRoot", true)
        .containsEntry("runAsUser", 10001);
    TreeSet<String> volumes = new TreeSet<>();
    ((List<?>) pod.get("volumes")).forEach(each -> volumes.add((String) map(each).get("name")));
    List<Object> containers = new ArrayList<>((List<?>) pod.get("containers"));
    containers.addAll((List<?>) pod.get("initContainers"));
    assertThat(containers).hasSize(2);
    for (Object each : containers) {
      Map<String, Object> container = map(each);
      assertThat(map(container.get("securityContext")))
          .containsEntry("allowPrivilegeEscalation", false)
          .containsEntry("readOnlyRootFilesystem", true)
          .containsEntry("capabilities", Map.of("drop", List.of("ALL")));
      assertThat(at(container, "resources", "limits")).containsKey("memory");
      for (Object mount : (List<?>) container.get("volumeMounts")) {
        assertThat(volumes).contains((String) map(mount).get("name"));
      }
    }
  }

  private static void requireShares(String command) {
    assertThat(command).contains("lampone validator add --all --config /");
    requireParsed(List.of("validator", "add", "--all", "--config", "/etc/lampone/hbase-site.xml"));
  }

  /** The command line accepts it. */
  private static void requireParsed(List<String> words) {
    CommandLine.ParseResult parsed = Lampone.commandLine().parseArgs(words.toArray(String[]::new));
    assertThat(parsed.subcommand().commandSpec().name()).isEqualTo("validator");
    assertThat(parsed.subcommand().subcommand().errors()).isEmpty();
  }

  private static List<Object> load(String file) throws IOException {
    List<Object> documents = new ArrayList<>();
    new Yaml().loadAll(Files.readString(DOCKER.resolve(file))).forEach(documents::add);
    documents.removeIf(document -> document == null);
    return documents;
  }

  private static String name(Map<String, Object> object) {
    return (String) at(object, "metadata").get("name");
  }

  private static Map<String, Object> at(Map<String, Object> from, String... path) {
    Map<String, Object> found = from;
    for (String name : path) {
      assertThat(found).containsKey(name);
      found = map(found.get(name));
    }
    return found;
  }

  private static Map<String, Object> map(Object value) {
    assertThat(value).isInstanceOf(Map.class);
    return (Map<String, Object>) value;
  }
}
