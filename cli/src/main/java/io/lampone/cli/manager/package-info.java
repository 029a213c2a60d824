/** Commands about transaction managers, holds and snapshots. */
@NullMarked
package io.lampone.cli.manager;

import org.jspecify.annotations.NullMarked;
