cd a && rm -rf "$(b `c`)" <<-E | sudo env -S 'sh -c "d"' > ../x
	$((1))${y:-$(z)}
	E
find . -exec rm {} \; && [[ a > b ]] || $'\x41'