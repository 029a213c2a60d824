/** {@code lampone check}: facts about a cluster, and what is wrong with them. */
@NullMarked
package io.lampone.cli.check;

import org.jspecify.annotations.NullMarked;
