package io.lampone.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The file {@code cluster.json} of a cluster's folder: the plan, and which processes there are. It
 * is replaced as a whole, so that a process killed while writing leaves the old one.
 */
final class ClusterFile {

  private static final String NAME = "cluster.json";

  private final Path folder;
  private final Path file;
  private final ObjectMapper json = new ObjectMapper();

  ClusterFile(Path folder) {
    this.folder = folder;
    this.file = folder.resolve(NAME);
  }

  boolean exists() {
    return Files.exists(file);
  }

  void write(ClusterPlan plan, Map<String, ClusterMember> members) {
    ObjectNode root = json.createObjectNode();
    root.put("folder", folder.toString());
    root.put("zooKeepers", plan.zooKeepers());
    root.put("masters", plan.masters());
    root.put("regionServers", plan.regionServers());
    root.put("managers", plan.managers());
    root.put("validators", plan.validators());
    root.put("sessionTimeoutMillis", plan.sessionTimeout().toMillis());
    ObjectNode settings = root.putObject("settings");
    plan.settings().forEach(settings::put);
    var list = root.putArray("members");
    for (ClusterMember member : members.values()) {
      ObjectNode node = list.addObject();
      node.put("name", member.name());
      node.put("role", member.role().name());
      node.put("host", member.host());
      node.put("port", member.port());
      node.put("pid", member.pid());
      node.put("startedMillis", member.began().millis());
      node.put("boot", member.began().boot());
      node.put("startedTicks", member.began().ticks());
    }
    Path next = file.resolveSibling(NAME + ".next");
    try {
      Files.writeString(next, root.toPrettyString());
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new ClusterException("cannot write, file=" + file, e);
    }
  }

  ClusterPlan readPlan() {
    JsonNode root = read();
    requireMadeHere(root.path("folder").asText());
    Map<String, String> settings = new TreeMap<>();
    root.path("settings")
        .fields()
        .forEachRemaining(each -> settings.put(each.getKey(), each.getValue().asText()));
    return new ClusterPlan(
        folder,
        root.path("zooKeepers").asInt(),
        root.path("masters").asInt(),
        root.path("regionServers").asInt(),
        root.path("managers").asInt(),
        root.path("validators").asInt(),
        Duration.ofMillis(root.path("sessionTimeoutMillis").asLong()),
        settings);
  }

  /** Its settings name the folder: a copy would work on the data of the first. */
  private void requireMadeHere(String made) {
    try {
      Path there = Path.of(made);
      if (made.isEmpty() || (Files.exists(there) && Files.isSameFile(there, folder))) {
        return;
      }
    } catch (IOException e) {
      throw new ClusterException("cannot be compared, folder=" + folder + " made=" + made, e);
    }
    throw new ClusterException(
        "this cluster was made in another folder, which its processes and its settings name: move it"
            + " back, or make a new cluster and bring the tables there by 'lampone export' and"
            + " 'lampone restore', folder="
            + folder
            + " made="
            + made);
  }

  Map<String, ClusterMember> readMembers() {
    List<ClusterMember> members = new ArrayList<>();
    for (JsonNode node : read().path("members")) {
      members.add(
          new ClusterMember(
              node.path("name").asText(),
              MemberRole.valueOf(node.path("role").asText()),
              node.path("host").asText(Hosts.LOOPBACK),
              node.path("port").asInt(),
              node.path("pid").asLong(),
              new ProcessStart(
                  node.path("boot").asText(),
                  node.path("startedTicks").asLong(),
                  node.path("startedMillis").asLong())));
    }
    Map<String, ClusterMember> byName = new LinkedHashMap<>();
    members.forEach(member -> byName.put(member.name(), member));
    return byName;
  }

  private JsonNode read() {
    if (!exists()) {
      throw new ClusterException(
          "no cluster in this folder; 'cluster start' makes one, folder=" + folder);
    }
    try {
      return json.readTree(file.toFile());
    } catch (IOException e) {
      throw new ClusterException("cannot be read, file=" + file, e);
    }
  }
}
