/** What the clients do, and what must be true of it whoever judges. */
@NullMarked
package io.lampone.faultlab.work;

import org.jspecify.annotations.NullMarked;
