/** A cluster in a container, for tests. */
@org.jspecify.annotations.NullMarked
package io.lampone.testcontainers;
